"""The article's input and its known outputs."""

from __future__ import annotations

import hashlib
import json
from importlib import resources

import pytest
from Cryptodome.Cipher import AES as CRYPTODOME_AES

from cngaes_bench.article import PUBLISHED_FIRST8
from cngaes_bench.cases import ALGORITHMS, Case
from cngaes_bench.outputs import Fingerprint, Output, Samples, WrongOutputError
from cngaes_bench.reference import reference_output
from cngaes_bench.workload import (
    ARTICLE_SIZE,
    MIB,
    RANDOM_SEED,
    Workload,
    stored_fingerprints,
    xorshift_block,
)

WORKLOAD = Workload()


def test_the_block_is_the_articles() -> None:
    block = xorshift_block()
    assert len(block) == MIB
    assert block[:16].hex() == "01ee89f3591788003aabbb080bdf6b2e"
    assert block[-16:].hex() == "59d553df428097680e5a1ab801dda802"
    digest = "d8a8d8862255e3f1d66d4083ce390ec565a21962b848fb50cec79ba1c854529b"
    assert hashlib.sha256(block).hexdigest() == digest


def test_the_input_is_the_block_128_times() -> None:
    data = Workload().material(Case("sha256", "hash", ARTICLE_SIZE)).data
    assert len(data) == 128 * MIB
    digest = "91e648e63213b952440390e2bce1925b94d4cb234c29c8ee1bc0df44e3ca4035"
    assert hashlib.sha256(data).hexdigest() == digest


def test_stored_results_are_the_ones_on_record() -> None:
    stored = stored_fingerprints()
    for name, (last16, sha256) in {
        "aes-128-cbc": ("8fdb1f9dbeebaf1dbc646f049050c7ce", "4a257744da8573c7207cb65453c18378"),
        "aes-256-cbc": ("b2080ad4af909b1041b2a0ecb9942e0d", "bc29fdd5a7e1261bfbcead5bf18cdc0b"),
        "aes-256-gcm": ("041455ef6f01b3b500dcee5d6dc5ad76", ""),
        "aes-128-gcm": ("705f911f8ed8ab59c518ce34ee3ea220", ""),
    }.items():
        found = stored[f"{name}/encrypt/128MiB"]
        assert found.last16 == last16
        assert found.sha256.startswith(sha256)
    for name, first8 in PUBLISHED_FIRST8.items():
        direction = "hash" if name == "sha256" else "encrypt"
        assert stored[f"{name}/{direction}/128MiB"].first8 == first8


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_stored_results_at_one_mebibyte(algorithm: str) -> None:
    case = Case(algorithm, "hash" if algorithm == "sha256" else "encrypt", MIB)
    # The expectation compares itself with the stored result and raises if they differ.
    assert WORKLOAD.expected(case).fingerprint == stored_fingerprints()[case.name]


def test_stored_results_say_how_they_were_made() -> None:
    text = resources.files("cngaes_bench").joinpath("fingerprints.json").read_text("ascii")
    assert all("pycryptodomex" in line for line in json.loads(text)["made_by"])


def test_one_mebibyte_of_gcm_ciphertext_is_the_one_on_record() -> None:
    m = WORKLOAD.material(Case("aes-256-gcm", "encrypt", MIB))
    output = reference_output(m.case, m.key, m.iv, m.nonce, m.data)
    assert hashlib.sha256(output.body).hexdigest().startswith("86a5ceb2a88e81c7")


@pytest.mark.parametrize("algorithm", [name for name in ALGORITHMS if name != "sha256"])
@pytest.mark.parametrize("size", [16, 1024, 48 * 1024, MIB])
def test_decryption_brings_the_input_back(algorithm: str, size: int) -> None:
    encryption = WORKLOAD.material(Case(algorithm, "encrypt", size))
    decryption = WORKLOAD.material(Case(algorithm, "decrypt", size))
    m = decryption
    output = reference_output(m.case, m.key, m.iv, m.nonce, m.data)
    assert output.body == encryption.data
    assert not output.tag


def test_random_cases_have_random_keys_and_are_the_same_every_time() -> None:
    case = Case("aes-256-cbc", "encrypt", 48)
    first, second = Workload().material(case), Workload().material(case)
    assert first == second
    assert first.key == xorshift_block(RANDOM_SEED)[:32]
    assert first.key != bytes(range(32))
    large = Workload().material(Case("aes-256-cbc", "encrypt", 64 * 1024))
    assert large.data.startswith(first.data)
    cipher = CRYPTODOME_AES.new(first.key, CRYPTODOME_AES.MODE_CBC, iv=first.iv)
    expected = WORKLOAD.expected(case).fingerprint
    assert Fingerprint.of(Output.of(cipher.encrypt(first.data))) == expected


def test_inputs_are_shared_between_cases_of_one_size() -> None:
    workload = Workload()
    data = {
        id(workload.material(Case(name, "encrypt", 2 * MIB)).data)
        for name in ("aes-128-cbc", "aes-256-gcm")
    }
    assert len(data) == 1


def test_samples_find_what_was_not_written() -> None:
    right = Output.of(bytes(range(256)) * 4096)
    samples = Samples.of(right)
    buffer = bytearray(right.body)
    samples.check(Output.of(buffer))
    samples.poison(Output.of(buffer))
    with pytest.raises(WrongOutputError, match="offset 0"):
        samples.check(Output.of(buffer))
    half = len(buffer) // 2
    buffer[:half] = right.body[:half]
    with pytest.raises(WrongOutputError, match=f"offset {half}"):
        samples.check(Output.of(buffer))
    with pytest.raises(WrongOutputError, match="bytes, expected"):
        samples.check(Output.of(buffer[:-1]))


def test_fingerprints_cover_body_and_tag() -> None:
    output = Output(memoryview(b"body of it"), memoryview(b"t" * 16))
    assert Fingerprint.of(output) == Fingerprint.of(Output.of(b"body of it" + b"t" * 16))
    short = Fingerprint.of(Output(memoryview(b"abc"), memoryview(b"tagtagtagtagtag!")))
    assert bytes.fromhex(short.first8) == b"abctagta"
    assert bytes.fromhex(short.last16) == b"tagtagtagtagtag!"


def test_the_perl_text_has_its_own_message_and_key() -> None:
    """Known answer: computed with `openssl enc -aes-256-ecb`, Crypt::GCrypt and CryptX alike."""
    case = Case("aes-256-ecb", "decrypt", 52)
    material = Workload().material(case)
    assert material.data.hex() == (
        "2caa03ffbc3f459f8427455a83340b7f18f670159db2b001812a8cea50b7cc55"
        "1d0c57bd0913e0213ecbcaf6579eef5ee381fc8ec05156bac318ed84b09097d9"
    )
    assert material.key == b"0123456789abcdef0123456789abcdef"
    fingerprint = Workload().expected(case).fingerprint
    assert bytes.fromhex(fingerprint.first8) == b"abcdefgh"
    assert bytes.fromhex(fingerprint.last16) == b"KLMNOPQRSTUVWXYZ"


@pytest.mark.parametrize("algorithm", ["aes-128-cbc", "aes-256-ecb"])
@pytest.mark.parametrize("size", [1, 15, 17, 52, 100])
def test_messages_that_are_no_whole_blocks_are_padded(algorithm: str, size: int) -> None:
    workload = Workload()
    encrypt, decrypt = (Case(algorithm, direction, size) for direction in ("encrypt", "decrypt"))
    assert encrypt.padded
    assert encrypt.body_size == -(-size // 16) * 16
    assert decrypt.body_size == size
    assert len(workload.material(decrypt).data) == encrypt.body_size
    plain = workload.material(encrypt).data
    first8 = workload.expected(decrypt).fingerprint.first8
    assert first8 == plain[:8].hex()
