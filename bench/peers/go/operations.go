package main

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"errors"
	"fmt"
)

// One thread's work: `call` does the case once and gives back its whole output.
type operation struct {
	call    func() []byte
	prepare func() // before a run, outside the clock
	repeats bool   // false where a second call would go on from the first one's output
}

type unsupported struct{ error }

func refuse(why string) error { return unsupported{errors.New(why)} }

// apply does a message: dst has room for it (nil: make it), src may share its memory with dst.
type apply func(dst, src []byte) []byte

func makeOperation(c Case, m material, placement string, perCall bool, out []byte) (operation, string, error) {
	if c.Mode == "sha256" {
		return hashOperation(m, placement, perCall, out)
	}
	if c.Mode == "gcm" && c.Decrypt && placement == "inplace" {
		return operation{}, "", refuse("decrypting GCM in place needs fresh ciphertext for every call")
	}
	make_, statement, err := cipherMaker(c, m)
	if err != nil {
		return operation{}, "", err
	}
	apply := make_() // the key of all calls
	if perCall {
		statement = "new key: " + statement
		apply = func(dst, src []byte) []byte { return make_()(dst, src) }
	}
	op := operation{repeats: true, prepare: func() {}}
	switch placement {
	case "into":
		op.call = func() []byte { return apply(out, m.data) }
		op.prepare = func() { spoil(out) }
	case "new":
		op.call = func() []byte { return apply(nil, m.data) }
	case "inplace":
		op.call = func() []byte { return apply(out, out[:len(m.data)]) }
		op.prepare = func() { copy(out, m.data) }
		op.repeats = false
	default:
		return operation{}, "", refuse("Go has no placement " + placement)
	}
	return op, statement, nil
}

func spoil(buffer []byte) {
	edge := min(16, len(buffer))
	clear(buffer[:edge])
	clear(buffer[len(buffer)-edge:])
}

// cipherMaker gives a function that sets a key up and returns what does a message with it.
func cipherMaker(c Case, m material) (func() apply, string, error) {
	newBlock := func() cipher.Block {
		block, err := aes.NewCipher(m.key)
		if err != nil {
			panic(err)
		}
		return block
	}
	switch c.Mode {
	case "gcm":
		newAead := func() cipher.AEAD {
			aead, err := cipher.NewGCM(newBlock())
			if err != nil {
				panic(err)
			}
			return aead
		}
		if !c.Decrypt {
			return func() apply {
				aead := newAead()
				return func(dst, src []byte) []byte { return aead.Seal(dst[:0], m.nonce, src, nil) }
			}, "aead.Seal(dst[:0], nonce, src, nil)", nil
		}
		return func() apply {
			aead := newAead()
			return func(dst, src []byte) []byte {
				plain, err := aead.Open(dst[:0], m.nonce, src, nil)
				if err != nil {
					panic(err)
				}
				return plain
			}
		}, "aead.Open(dst[:0], nonce, src, nil)", nil
	case "ctr":
		return func() apply {
			block := newBlock()
			return func(dst, src []byte) []byte {
				dst = room(dst, len(src))
				cipher.NewCTR(block, m.iv).XORKeyStream(dst, src)
				return dst
			}
		}, "cipher.NewCTR(block, iv).XORKeyStream(dst, src)", nil
	case "cbc":
		if c.Size%aes.BlockSize != 0 {
			return nil, "", refuse("Go's library has no padding")
		}
		newMode, name := cipher.NewCBCEncrypter, "Encrypter"
		if c.Decrypt {
			newMode, name = cipher.NewCBCDecrypter, "Decrypter"
		}
		return func() apply {
			block := newBlock()
			return func(dst, src []byte) []byte {
				dst = room(dst, len(src))
				newMode(block, m.iv).CryptBlocks(dst, src)
				return dst
			}
		}, fmt.Sprintf("cipher.NewCBC%s(block, iv).CryptBlocks(dst, src)", name), nil
	}
	return nil, "", refuse("Go's library has no mode " + c.Mode)
}

func room(dst []byte, size int) []byte {
	if dst == nil {
		return make([]byte, size)
	}
	return dst[:size]
}

func hashOperation(m material, placement string, perCall bool, out []byte) (operation, string, error) {
	if perCall {
		return operation{}, "", refuse("SHA-256 has no key")
	}
	op := operation{repeats: true, prepare: func() {}}
	switch placement {
	case "into":
		hash := sha256.New()
		op.prepare = func() { spoil(out) }
		op.call = func() []byte {
			hash.Reset()
			hash.Write(m.data)
			return hash.Sum(out[:0])
		}
		return op, "hash.Reset(); hash.Write(data); hash.Sum(out[:0])", nil
	case "new":
		op.call = func() []byte {
			digest := sha256.Sum256(m.data)
			return digest[:]
		}
		return op, "sha256.Sum256(data)", nil
	}
	return operation{}, "", refuse("a digest does not lie over its input")
}
