// Java's own cryptography (javax.crypto, java.security) as a peer of the benchmark (docs/peers.md).
//
// `Peer java`, or `Peer java-nointrinsics` in a virtual machine with AES, GHASH and SHA instructions off.

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;

final class Peer {
    static final int MIB = 1 << 20;
    static final int TAG = 16;
    static final int ARTICLE_SEED = 20260807, RANDOM_SEED = 1123581321, DATA_AT = 64;
    static final long WARM_UP_CPU_NS = 3_000_000_000L;
    static final int WARM_UP_ROUNDS = 5, WARM_UP_CALLS = 6_000;
    static final int[] WARM_UP_SIZES = {512, 4096, 2 * MIB};

    private final String path;
    private final Map<Integer, byte[]> plaintexts = new HashMap<>();
    private final Map<Task, Material> materials = new HashMap<>();
    private final Map<String, Cell> cells = new HashMap<>();
    private final Set<String> warm = new HashSet<>();
    private final List<byte[]> buffers = new ArrayList<>();
    private Cell current;

    private Peer(String path) {
        this.path = path;
    }

    public static void main(String[] arguments) throws IOException {
        Peer peer = new Peer(arguments[0]);
        var input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        var output = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        String line;
        while ((line = input.readLine()) != null && !line.contains("\"quit\"")) {
            output.println(peer.answer(line));
            output.flush();
        }
        System.exit(0);
    }

    private String answer(String line) {
        try {
            if (line.contains("\"hello\"")) {
                return hello();
            }
            if (line.contains("\"prepare\"")) {
                return prepare(line);
            }
            if (current == null) {
                throw new IllegalStateException("run or verify before prepare");
            }
            if (line.contains("\"run\"")) {
                return run(current, Long.parseLong(field(line, "run"))).toJson();
            }
            if (line.contains("\"verify\"")) {
                return "{\"ok\": " + fingerprint(current) + "}";
            }
            throw new IllegalArgumentException("unknown question");
        } catch (UnsupportedOperationException why) {
            return "{\"unsupported\": " + quoted(why.getMessage()) + "}";
        } catch (Exception | OutOfMemoryError error) {
            return "{\"error\": " + quoted(error.toString()) + "}";
        }
    }

    private String hello() {
        String version = "Java " + System.getProperty("java.runtime.version");
        List<String> offers = new ArrayList<>();
        for (String placement : List.of("into", "new", "inplace")) {
            offers.add(quoted(path + "/" + placement));
        }
        return "{\"name\": " + quoted(path) + ", \"version\": " + quoted(version) + ", \"arch\": "
                + quoted(System.getProperty("os.arch")) + ", \"paths\": " + offers + "}";
    }

    // The input, from the size alone.

    /** What the name {@code aes-256-gcm/encrypt/1MiB} says. */
    record Task(String algorithm, String mode, int keyBytes, boolean decrypt, int size) {
        static Task parse(String name) {
            Matcher words = Pattern.compile("(aes-(128|192|256)-(gcm|ctr|cbc|ecb)|sha256)/(\\w+)/(\\d+)([KMG]?)i?B")
                    .matcher(name);
            if (!words.matches()) {
                throw new IllegalArgumentException("bad case " + name);
            }
            long size = Long.parseLong(words.group(5)) << 10 * " KMG".indexOf((words.group(6) + " ").charAt(0));
            if (size > Integer.MAX_VALUE - 64) {
                throw new UnsupportedOperationException("an array of Java has at most 2 GiB - 1");
            }
            boolean hash = words.group(3) == null;
            return new Task(words.group(1), hash ? "sha256" : words.group(3),
                    hash ? 0 : Integer.parseInt(words.group(2)) / 8, words.group(4).equals("decrypt"), (int) size);
        }

        boolean padded() {
            return (mode.equals("cbc") || mode.equals("ecb")) && size % 16 != 0;
        }

        int outputSize() {
            if (mode.equals("sha256")) {
                return 32;
            }
            return decrypt ? size : size + (mode.equals("gcm") ? TAG : 0) + (padded() ? 16 - size % 16 : 0);
        }

        String transformation() {
            return "AES/" + mode.toUpperCase() + "/" + (padded() ? "PKCS5Padding" : "NoPadding");
        }
    }

    record Material(SecretKeySpec key, byte[] iv, byte[] data) {}

    private static byte[] block(int seed) {
        byte[] block = new byte[MIB];
        for (int i = 0; i < MIB; i++) {
            seed ^= seed << 13;
            seed ^= seed >>> 17;
            seed ^= seed << 5;
            block[i] = (byte) seed;
        }
        return block;
    }

    private static byte[] plaintext(int size) {
        boolean article = size % MIB == 0;
        byte[] block = block(article ? ARTICLE_SEED : RANDOM_SEED);
        byte[] data = new byte[size];
        int at = article ? 0 : DATA_AT;
        for (int done = 0; done < size; at = 0) {
            int part = Math.min(MIB - at, size - done);
            System.arraycopy(block, at, data, done, part);
            done += part;
        }
        return data;
    }

    private static byte[] counting(int count) {
        byte[] bytes = new byte[count];
        for (int i = 0; i < count; i++) {
            bytes[i] = (byte) i;
        }
        return bytes;
    }

    private Material material(Task task) throws GeneralSecurityException {
        Material known = materials.get(task);
        if (known != null) {
            return known;
        }
        boolean article = task.size % MIB == 0;
        byte[] data = plaintexts.computeIfAbsent(task.size, Peer::plaintext);
        byte[] head = article ? null : block(RANDOM_SEED);
        byte[] key = article ? counting(task.keyBytes) : Arrays.copyOf(head, task.keyBytes);
        if (task.algorithm.equals("aes-256-ecb") && task.size == 52) {
            data = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".getBytes(StandardCharsets.US_ASCII);
            key = "0123456789abcdef0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
        }
        int from = task.mode.equals("gcm") ? 48 : 32;
        int ivSize = task.mode.equals("gcm") ? 12 : 16;
        byte[] iv = article ? counting(ivSize) : Arrays.copyOfRange(head, from, from + ivSize);
        SecretKeySpec keySpec = task.keyBytes == 0 ? null : new SecretKeySpec(key, "AES");
        if (task.decrypt) {
            Task encrypt = new Task(task.algorithm, task.mode, task.keyBytes, false, task.size);
            data = new Work(encrypt, new Material(keySpec, iv, data)).fresh(false);
        }
        Material made = new Material(keySpec, iv, data);
        materials.put(task, made);
        return made;
    }

    // Work.

    /** One thread's cipher or digest object: they are not to be shared. */
    static final class Work {
        private final Task task;
        private final Material material;
        private Cipher cipher;
        private MessageDigest digest;
        private boolean ready;

        Work(Task task, Material material) throws GeneralSecurityException {
            this.task = task;
            this.material = material;
            if (task.keyBytes == 0) {
                digest = MessageDigest.getInstance("SHA-256");
            } else {
                cipher = Cipher.getInstance(task.transformation());
            }
        }

        /** Java has no key apart from a cipher object: a message's IV is set together with it. */
        private Cipher keyed(boolean perCall) throws GeneralSecurityException {
            Cipher used = perCall ? Cipher.getInstance(task.transformation()) : cipher;
            int mode = task.decrypt ? Cipher.DECRYPT_MODE : Cipher.ENCRYPT_MODE;
            switch (task.mode) {
                case "gcm" -> used.init(mode, material.key, new GCMParameterSpec(8 * TAG, material.iv));
                case "ecb" -> {
                    if (perCall || !ready) {
                        used.init(mode, material.key);
                    }
                    ready = true;
                }
                default -> used.init(mode, material.key, new IvParameterSpec(material.iv));
            }
            return used;
        }

        byte[] fresh(boolean perCall) throws GeneralSecurityException {
            return digest != null ? digest.digest(material.data) : keyed(perCall).doFinal(material.data);
        }

        void into(byte[] source, int length, byte[] out, boolean perCall) throws GeneralSecurityException {
            if (digest != null) {
                digest.update(source, 0, length);
                digest.digest(out, 0, 32);
            } else {
                keyed(perCall).doFinal(source, 0, length, out, 0);
            }
        }
    }

    /** A prepared cell: an object, a buffer and a last output for each thread. */
    final class Cell {
        Task task;
        Material material;
        String placement;
        boolean perCall;
        Work[] works;
        byte[][] targets;
        byte[][] outputs;
        String answer;

        void work(int thread, long loops) throws GeneralSecurityException {
            Work work = works[thread];
            byte[] out = targets[thread];
            byte[] data = placement.equals("inplace") ? out : material.data;
            int length = material.data.length;
            if (placement.equals("new")) {
                for (long i = 0; i < loops; i++) {
                    out = work.fresh(perCall);
                }
            } else {
                for (long i = 0; i < loops; i++) {
                    work.into(data, length, out, perCall);
                }
            }
            outputs[thread] = out;
        }
    }

    record Sample(long ns, Map<String, Long> extras) {
        String toJson() {
            List<String> fields = new ArrayList<>();
            extras.forEach((name, value) -> fields.add(quoted(name) + ": " + value));
            return "{\"ns\": " + ns + ", \"extras\": {" + String.join(", ", fields) + "}}";
        }
    }

    private String prepare(String line) throws Exception {
        if (current != null) {
            current.outputs = null; // fresh outputs live no longer than anybody asks for them
        }
        current = cells.get(line);
        if (current != null) {
            return current.answer;
        }
        if (!field(line, "path").equals(path)) {
            throw new IllegalArgumentException("unknown path " + field(line, "path"));
        }
        Cell cell = new Cell();
        cell.task = Task.parse(field(line, "case"));
        cell.placement = field(line, "placement");
        cell.perCall = field(line, "key").equals("per-call");
        refuse(cell);
        cell.material = material(cell.task);
        int threads = Integer.parseInt(field(line, "threads"));
        cell.works = new Work[threads];
        cell.targets = new byte[threads][];
        for (int i = 0; i < threads; i++) {
            cell.works[i] = new Work(cell.task, cell.material);
            cell.targets[i] = cell.placement.equals("new") ? null : buffer(i, cell.task.size + 48);
        }
        warmUp(cell);
        Sample first = run(cell, 1);
        String call = cell.placement.equals("new") ? "doFinal(data)" : "doFinal(data, 0, n, out, 0)";
        String made = cell.perCall ? "Cipher.getInstance(name); " : "";
        String statement = cell.task.keyBytes == 0 ? "digest.digest" : made + "cipher.init(mode, key, iv); cipher." + call;
        cell.answer = "{\"ok\": " + fingerprint(cell) + ", \"ns\": " + first.ns + ", \"details\": {\"statement\": "
                + quoted(statement) + "}}";
        cells.put(line, cell);
        current = cell;
        return cell.answer;
    }

    private static void refuse(Cell cell) {
        Task task = cell.task;
        boolean gcm = task.mode.equals("gcm"), inPlace = cell.placement.equals("inplace");
        String why = null;
        if (!List.of("into", "new", "inplace").contains(cell.placement)) {
            why = "Java has no placement " + cell.placement;
        } else if (task.keyBytes == 0 && cell.perCall) {
            why = "SHA-256 has no key";
        } else if (task.keyBytes == 0 && inPlace) {
            why = "a digest does not lie over its input";
        } else if (inPlace && gcm && task.decrypt) {
            why = "decrypting GCM in place needs fresh ciphertext for every call";
        } else if (inPlace && task.padded()) {
            why = "with padding the output has another size";
        } else if (gcm && !task.decrypt && !cell.perCall) {
            why = "a GCM cipher object of Java refuses the same nonce twice: one is made for every call";
        }
        if (why != null) {
            throw new UnsupportedOperationException(why);
        }
    }

    private byte[] buffer(int thread, int size) {
        while (buffers.size() <= thread) {
            buffers.add(new byte[0]);
        }
        if (buffers.get(thread).length < size) {
            byte[] made = new byte[size];
            Arrays.fill(made, (byte) 0xa5); // touch every page before any clock runs
            buffers.set(thread, made);
        }
        return buffers.get(thread);
    }

    /**
     * Have the compilers done with the code of a cell. Not by messages of one size: what the compiled code of short
     * ones never did, a long one throws back to the interpreter, and a few long ones do not bring it out again (GCM
     * of Java 17: 40 MB/s instead of 2,500). So rounds of short messages, each with a long one behind it.
     */
    private void warmUp(Cell cell) throws GeneralSecurityException {
        Task task = cell.task;
        if ("no".equals(System.getenv("CNGAES_PEER_WARM_UP"))) {
            return;
        }
        if (!warm.add(task.mode + task.decrypt + cell.placement.equals("new") + cell.perCall)) {
            return;
        }
        Runnable[] calls = new Runnable[WARM_UP_SIZES.length];
        for (int i = 0; i < calls.length; i++) {
            int size = WARM_UP_SIZES[i] - (task.padded() ? 1 : 0);
            calls[i] = warmUpCall(new Task(task.algorithm, task.mode, task.keyBytes, task.decrypt, size), cell);
        }
        var clock = ManagementFactory.getThreadMXBean(); // not of the wall: a busy machine warms up, too
        long end = clock.getCurrentThreadCpuTime() + WARM_UP_CPU_NS;
        for (int round = 0; round < WARM_UP_ROUNDS && clock.getCurrentThreadCpuTime() < end; round++) {
            for (int i = 0; i < WARM_UP_CALLS && (i % 64 != 0 || clock.getCurrentThreadCpuTime() < end); i++) {
                calls[i % 2].run();
            }
            calls[2].run();
        }
    }

    private Runnable warmUpCall(Task task, Cell cell) throws GeneralSecurityException {
        Material material = material(task);
        Work work = new Work(task, material);
        byte[] data = material.data;
        byte[] out = new byte[data.length + 48];
        return () -> {
            try {
                if (cell.placement.equals("new")) {
                    work.fresh(cell.perCall);
                } else {
                    work.into(data, data.length, out, cell.perCall);
                }
            } catch (GeneralSecurityException error) {
                throw new IllegalStateException(error);
            }
        };
    }

    private Sample run(Cell cell, long loops) throws Exception {
        if (loops < 1) {
            throw new IllegalArgumentException("loops is 1 or more");
        }
        int threads = cell.works.length, outputSize = cell.task.outputSize();
        cell.outputs = new byte[threads][];
        for (byte[] target : cell.targets) {
            if (cell.placement.equals("inplace")) {
                System.arraycopy(cell.material.data, 0, target, 0, cell.material.data.length);
            } else if (cell.placement.equals("into")) {
                int edge = Math.min(16, outputSize);
                Arrays.fill(target, 0, edge, (byte) 0xa5); // old results must not pass
                Arrays.fill(target, outputSize - edge, outputSize, (byte) 0xa5);
            }
        }
        Map<String, Long> before = Counters.now();
        long ns;
        if (threads == 1) {
            long start = System.nanoTime();
            cell.work(0, loops);
            ns = System.nanoTime() - start;
        } else {
            ns = runThreads(cell, loops);
        }
        Map<String, Long> extras = Counters.now();
        extras.replaceAll((name, value) -> value - before.get(name));
        if (cell.placement.equals("inplace") && loops > 1) {
            cell.outputs = null; // the last call went on from the output of the one before
        }
        return new Sample(ns, extras);
    }

    private static long runThreads(Cell cell, long loops) throws Exception {
        int count = cell.works.length;
        var ready = new CountDownLatch(count);
        var open = new CountDownLatch(1);
        Exception[] failures = new Exception[count];
        Thread[] threads = new Thread[count];
        for (int i = 0; i < count; i++) {
            int thread = i;
            threads[i] = new Thread(() -> {
                ready.countDown();
                try {
                    open.await();
                    cell.work(thread, loops);
                } catch (Exception error) {
                    failures[thread] = error;
                }
            });
            threads[i].start();
        }
        ready.await();
        long start = System.nanoTime();
        open.countDown();
        for (Thread thread : threads) {
            thread.join();
        }
        long ns = System.nanoTime() - start;
        for (Exception failure : failures) {
            if (failure != null) {
                throw failure;
            }
        }
        return ns;
    }

    private String fingerprint(Cell cell) throws Exception {
        if (cell.outputs == null) {
            run(cell, 1);
        }
        int size = cell.task.outputSize();
        String first = null;
        for (byte[] out : cell.outputs) {
            if (cell.placement.equals("new") && out.length != size) {
                throw new IllegalStateException("output of " + out.length + " bytes, expected " + size);
            }
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(out, 0, size);
            HexFormat hex = HexFormat.of();
            String found = "{\"first8\": " + quoted(hex.formatHex(out, 0, Math.min(8, size))) + ", \"last16\": "
                    + quoted(hex.formatHex(out, Math.max(0, size - 16), size)) + ", \"sha256\": "
                    + quoted(hex.formatHex(digest.digest())) + "}";
            if (first != null && !first.equals(found)) {
                throw new IllegalStateException("the threads' outputs differ");
            }
            first = found;
        }
        return first;
    }

    // Questions come from the suite only, one flat object each, so that a pattern does for reading them.

    private static String field(String line, String name) {
        Matcher found = Pattern.compile("\"" + name + "\": \"?([^\",}]*)").matcher(line);
        if (!found.find()) {
            throw new IllegalArgumentException("no " + name + " in " + line);
        }
        return found.group(1);
    }

    private static String quoted(String text) {
        return "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"").replaceAll("\\p{Cntrl}", " ") + "\"";
    }
}
