"""Writes cngaes_bench/fingerprints.json: the right outputs of the article's workload.

Every output is made by two implementations that share no code, and stored only if they agree:
ciphers by cryptography (OpenSSL) and pycryptodomex, SHA-256 by hashlib (OpenSSL) and pycryptodomex.
Nothing of this package is involved. Takes some 20 s.

    python bench/make_fingerprints.py
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from ssl import OPENSSL_VERSION

sys.path.insert(0, str(Path(__file__).parent))

from Cryptodome.Cipher import AES as CIPHERS
from Cryptodome.Hash import SHA256 as HASH_MODULE

from cngaes_bench.cases import AES, ENCRYPT, HASH, SHA256, Case
from cngaes_bench.outputs import Fingerprint, Output
from cngaes_bench.reference import reference_output
from cngaes_bench.workload import ARTICLE_SIZE, MIB, Material, Workload

SIZES = (MIB, 16 * MIB, 32 * MIB, 64 * MIB, ARTICLE_SIZE)


def second_opinion(material: Material) -> Output:
    """Make the same output by pycryptodomex."""
    case, key, data = material.case, material.key, material.data
    if case.mode == "sha256":
        return Output.of(HASH_MODULE.new(data).digest())
    if case.mode == "gcm":
        body, tag = CIPHERS.new(key, CIPHERS.MODE_GCM, nonce=material.nonce).encrypt_and_digest(
            data
        )
        return Output(memoryview(body), memoryview(tag))
    if case.mode == "ctr":
        ctr = CIPHERS.new(key, CIPHERS.MODE_CTR, nonce=b"", initial_value=material.iv)
        return Output.of(ctr.encrypt(data))
    if case.mode == "cbc":
        return Output.of(CIPHERS.new(key, CIPHERS.MODE_CBC, iv=material.iv).encrypt(data))
    return Output.of(CIPHERS.new(key, CIPHERS.MODE_ECB).encrypt(data))


def fingerprint(case: Case, workload: Workload) -> Fingerprint:
    """Give the fingerprint both agree on."""
    m = workload.material(case)
    first = Fingerprint.of(reference_output(case, m.key, m.iv, m.nonce, m.data))
    if why := Fingerprint.of(second_opinion(m)).difference(first):
        raise SystemExit(f"{case.name}: the libraries disagree: {why}")
    return first


def main() -> None:
    """Make and store all of them."""
    workload, found = Workload(), {}
    for size in SIZES:
        for algorithm in (*AES, SHA256):
            case = Case(algorithm, HASH if algorithm == SHA256 else ENCRYPT, size)
            found[case.name] = asdict(fingerprint(case, workload))
            print(case.name, found[case.name]["sha256"][:16])
        workload.forget()
    made_by = [
        f"cryptography {version('cryptography')} and pycryptodomex {version('pycryptodomex')}",
        f"hashlib ({OPENSSL_VERSION}) and pycryptodomex {version('pycryptodomex')}",
    ]
    target = Path(__file__).parent / "cngaes_bench" / "fingerprints.json"
    text = json.dumps({"made_by": made_by, "cases": found}, indent=1)
    target.write_text(text + "\n", encoding="ascii")


if __name__ == "__main__":
    main()
