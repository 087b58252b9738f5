import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** What the virtual machine and the system count: the extras of a value. */
final class Counters {
    private Counters() {}

    /** What has been counted up to now; page faults where Linux tells them. */
    static Map<String, Long> now() {
        Map<String, Long> found = new LinkedHashMap<>();
        long collections = 0;
        for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            collections += Math.max(0, collector.getCollectionCount());
        }
        found.put("gc_count", collections);
        if (ManagementFactory.getThreadMXBean() instanceof com.sun.management.ThreadMXBean threads) {
            found.put("alloc_bytes", threads.getThreadAllocatedBytes(Thread.currentThread().getId()));
        }
        if (ManagementFactory.getOperatingSystemMXBean() instanceof com.sun.management.OperatingSystemMXBean system) {
            found.put("cpu_ns", system.getProcessCpuTime());
        }
        try {
            String stat = Files.readString(Path.of("/proc/self/stat"));
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
            found.put("page_faults", Long.parseLong(fields[7]) + Long.parseLong(fields[9]));
        } catch (IOException elsewhere) {
            // No such file: no page faults in the extras.
        }
        return found;
    }
}
