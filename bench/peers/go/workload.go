package main

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
)

// A task: what the name `aes-256-gcm/encrypt/1MiB` says.
type Case struct {
	Mode     string // gcm, ctr, cbc, ecb or sha256
	KeyBytes int
	Decrypt  bool
	Size     int
}

const (
	mib         = 1 << 20
	articleSeed = 20260807
	randomSeed  = 1123581321
	dataAt      = 64
)

func parseCase(name string) (Case, error) {
	parts := strings.Split(name, "/")
	if len(parts) != 3 {
		return Case{}, fmt.Errorf("bad case %q", name)
	}
	size, err := parseSize(parts[2])
	if err != nil {
		return Case{}, err
	}
	words := strings.Split(parts[0], "-")
	c := Case{Mode: words[len(words)-1], Decrypt: parts[1] == "decrypt", Size: size}
	if len(words) == 3 {
		bits, err := strconv.Atoi(words[1])
		if err != nil {
			return Case{}, err
		}
		c.KeyBytes = bits / 8
	}
	return c, nil
}

func parseSize(text string) (int, error) {
	for unit, bytes := range map[string]int{"KiB": 1 << 10, "MiB": mib, "GiB": 1 << 30} {
		if number, found := strings.CutSuffix(text, unit); found {
			n, err := strconv.Atoi(number)
			return n * bytes, err
		}
	}
	return strconv.Atoi(strings.TrimSuffix(text, "B"))
}

func xorshiftBlock(seed uint32) []byte {
	block := make([]byte, mib)
	for i := range block {
		seed ^= seed << 13
		seed ^= seed >> 17
		seed ^= seed << 5
		block[i] = byte(seed)
	}
	return block
}

// Key, IV, nonce and input of a case, as docs/peers.md describes them.
type material struct{ key, iv, nonce, data []byte }

var (
	articleBlock = sync.OnceValue(func() []byte { return xorshiftBlock(articleSeed) })
	randomBlock  = sync.OnceValue(func() []byte { return xorshiftBlock(randomSeed) })
)

func plaintext(size int) []byte {
	if size%mib == 0 {
		return repeated(articleBlock(), 0, size)
	}
	return repeated(randomBlock(), dataAt, size)
}

func makeMaterial(c Case, plain []byte) material {
	if c.Size%mib == 0 {
		return material{counting(c.KeyBytes), counting(16), counting(12), plain}
	}
	block := randomBlock()
	return material{block[:c.KeyBytes], block[32:48], block[48:60], plain}
}

func repeated(block []byte, start, size int) []byte {
	data := make([]byte, size)
	for done := 0; done < size; {
		done += copy(data[done:], block[(start+done)%len(block):])
	}
	return data
}

func counting(n int) []byte {
	bytes := make([]byte, n)
	for i := range bytes {
		bytes[i] = byte(i)
	}
	return bytes
}
