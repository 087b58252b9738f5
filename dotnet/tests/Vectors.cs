namespace Cngaes.Tests;

/// <summary>Published known answers, in hex.</summary>
public static class Vectors
{
    // SP 800-38A appendix F: the plaintext and the keys of all its examples.
    public const string Plain =
        "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
        + "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710";

    private const string Key128 = "2b7e151628aed2a6abf7158809cf4f3c";
    private const string Key192 = "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b";
    private const string Key256 = "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4";
    private const string Counting = "000102030405060708090a0b0c0d0e0f";
    private const string Counter = "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff";

    // The Galois/Counter Mode of Operation (McGrew, Viega), appendix B, as submitted to NIST.
    private const string GcmKey = "feffe9928665731c6d6a8f9467308308";
    private const string GcmNonce = "cafebabefacedbaddecaf888";
    private const string GcmAad = "feedfacedeadbeeffeedfacedeadbeefabaddad2";
    private const string GcmPlain =
        "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
        + "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39";

    /// <summary>FIPS 197 appendix C: key, plaintext, ciphertext.</summary>
    public static TheoryData<string, string, string> Blocks => new()
    {
        { Counting, "00112233445566778899aabbccddeeff", "69c4e0d86a7b0430d8cdb78070b4c55a" },
        { Counting + "1011121314151617", "00112233445566778899aabbccddeeff", "dda97ca4864cdfe06eaf70a0ec0d7191" },
        {
            Counting + "101112131415161718191a1b1c1d1e1f", "00112233445566778899aabbccddeeff",
            "8ea2b7ca516745bfeafc49904b496089"
        },
    };

    /// <summary>SP 800-38A F.1, F.2 and F.5: algorithm, key, IV, ciphertext of <see cref="Plain"/>.</summary>
    public static TheoryData<string, string, string, string> Modes => new()
    {
        {
            "aes-128-ecb", Key128, "",
            "3ad77bb40d7a3660a89ecaf32466ef97f5d3d58503b9699de785895a96fdbaaf"
            + "43b1cd7f598ece23881b00e3ed0306887b0c785e27e8ad3f8223207104725dd4"
        },
        {
            "aes-256-ecb", Key256, "",
            "f3eed1bdb5d2a03c064b5a7e3db181f8591ccb10d410ed26dc5ba74a31362870"
            + "b6ed21b99ca6f4f9f153e7b1beafed1d23304b7a39f9f3ff067d8d8f9e24ecc7"
        },
        {
            "aes-128-cbc", Key128, Counting,
            "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2"
            + "73bed6b8e3c1743b7116e69e222295163ff1caa1681fac09120eca307586e1a7"
        },
        {
            "aes-256-cbc", Key256, Counting,
            "f58c4c04d6e5f1ba779eabfb5f7bfbd69cfc4e967edb808d679f777bc6702c7d"
            + "39f23369a9d9bacfa530e26304231461b2eb05e2c39be9fcda6c19078c6a9d1b"
        },
        {
            "aes-128-ctr", Key128, Counter,
            "874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff"
            + "5ae4df3edbd5d35e5b4f09020db03eab1e031dda2fbe03d1792170a0f3009cee"
        },
        {
            "aes-192-ctr", Key192, Counter,
            "1abc932417521ca24f2b0459fe7e6e0b090339ec0aa6faefd5ccc2c6f4ce8e94"
            + "1e36b26bd1ebc670d1bd1d665620abf74f78a7f6d29809585a97daec58c6b050"
        },
        {
            "aes-256-ctr", Key256, Counter,
            "601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c5"
            + "2b0930daa23de94ce87017ba2d84988ddfc9c58db67aada613c2dd08457941a6"
        },
    };

    /// <summary>Key, nonce, AAD, plaintext, ciphertext, tag: test cases 1, 4, 10, 14 and 16.</summary>
    public static TheoryData<string, string, string, string, string, string> Gcm => new()
    {
        { new string('0', 32), new string('0', 24), "", "", "", "58e2fccefa7e3061367f1d57a4e7455a" },
        {
            GcmKey, GcmNonce, GcmAad, GcmPlain,
            "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e"
            + "21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091",
            "5bc94fbc3221a5db94fae95ae7121a47"
        },
        {
            GcmKey + "feffe9928665731c", GcmNonce, GcmAad, GcmPlain,
            "3980ca0b3c00e841eb06fac4872a2757859e1ceaa6efd984628593b40ca1e19c"
            + "7d773d00c144c525ac619d18c84a3f4718e2448b2fe324d9ccda2710",
            "2519498e80f1478f37ba55bd6d27618c"
        },
        {
            new string('0', 64), new string('0', 24), "", new string('0', 32),
            "cea7403d4d606b6e074ec5d3baf39d18", "d0d1c8a799996bf0265b98b5d48ab919"
        },
        {
            GcmKey + GcmKey, GcmNonce, GcmAad, GcmPlain,
            "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
            + "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662",
            "76fc6ece0f4e1768cddf8853bb2d551b"
        },
    };

    /// <summary>The examples that go with FIPS 180-4: message in ASCII, digest.</summary>
    public static TheoryData<string, string> Sha256 => new()
    {
        { "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
        {
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        },
    };

    internal static byte[] Bytes(string hex) => Convert.FromHexString(hex);
}
