// Go's crypto/aes, crypto/cipher and crypto/sha256 as a peer of the benchmark (docs/peers.md).
package main

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"time"
)

type object = map[string]any

type cellName struct {
	Case, Path, Placement, Key string
	Threads                    int
}

type preparedCell struct {
	operations []operation
	answer     object
	outputs    [][]byte
	comparable bool // the last run left the bytes of the case
}

// Everything the process keeps: prepared cells, inputs by case, one output buffer a thread.
type peer struct {
	cells   map[cellName]*preparedCell
	plain   map[int][]byte
	inputs  map[Case]material
	buffers map[int][]byte
	current *preparedCell
}

func (p *peer) input(c Case) (material, error) {
	if m, known := p.inputs[c]; known {
		return m, nil
	}
	if p.plain[c.Size] == nil {
		p.plain[c.Size] = plaintext(c.Size)
	}
	m := makeMaterial(c, p.plain[c.Size])
	if c.Decrypt {
		encrypt := c
		encrypt.Decrypt = false
		op, _, err := makeOperation(encrypt, m, "new", false, nil)
		if err != nil {
			return m, err
		}
		m.data = op.call()
	}
	p.inputs[c] = m
	return m, nil
}

func (p *peer) buffer(thread, size int) []byte {
	if len(p.buffers[thread]) < size {
		buffer := make([]byte, size)
		for i := range buffer {
			buffer[i] = 0xa5 // touch every page before any clock runs
		}
		p.buffers[thread] = buffer
	}
	return p.buffers[thread]
}

func (p *peer) prepare(name cellName) (object, error) {
	if p.current != nil {
		p.current.outputs = nil // fresh outputs live no longer than anybody asks for them
	}
	if cell, known := p.cells[name]; known {
		p.current = cell
		return cell.answer, nil
	}
	p.current = nil
	c, err := parseCase(name.Case)
	if err != nil {
		return nil, err
	}
	if name.Path != "go" {
		return nil, fmt.Errorf("unknown path %q", name.Path)
	}
	m, err := p.input(c)
	if err != nil {
		return nil, err
	}
	cell := &preparedCell{}
	statement := ""
	for thread := range max(1, name.Threads) {
		size := outputSize(c)
		out := p.buffer(thread, max(size, len(m.data)))
		if name.Placement == "into" {
			out = out[:size:size]
		}
		op, text, err := makeOperation(c, m, name.Placement, name.Key == "per-call", out)
		if err != nil {
			return nil, err
		}
		statement = text
		cell.operations = append(cell.operations, op)
	}
	ns, _ := cell.run(1)
	print_, err := cell.fingerprint()
	if err != nil {
		return nil, err
	}
	cell.answer = object{"ok": print_, "ns": ns, "details": object{"statement": statement}}
	p.cells[name], p.current = cell, cell
	return cell.answer, nil
}

func outputSize(c Case) int {
	switch {
	case c.Mode == "sha256":
		return sha256.Size
	case c.Mode == "gcm" && !c.Decrypt:
		return c.Size + 16
	}
	return c.Size
}

func (cell *preparedCell) run(loops int) (int64, object) {
	cell.outputs = make([][]byte, len(cell.operations))
	cell.comparable = true
	for _, op := range cell.operations {
		op.prepare()
		cell.comparable = cell.comparable && (op.repeats || loops == 1)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	faults, cpu := counters()
	var elapsed time.Duration
	if len(cell.operations) == 1 {
		start := time.Now()
		cell.work(0, loops)
		elapsed = time.Since(start)
	} else {
		elapsed = cell.runThreads(loops)
	}
	faultsAfter, cpuAfter := counters()
	runtime.ReadMemStats(&after)
	extras := object{
		"gc_count":    after.NumGC - before.NumGC,
		"alloc_bytes": after.TotalAlloc - before.TotalAlloc,
	}
	if hasCounters {
		extras["page_faults"], extras["cpu_ns"] = faultsAfter-faults, cpuAfter-cpu
	}
	return elapsed.Nanoseconds(), extras
}

func (cell *preparedCell) work(thread, loops int) {
	call := cell.operations[thread].call
	var out []byte
	for range loops {
		out = call()
	}
	cell.outputs[thread] = out
}

func (cell *preparedCell) runThreads(loops int) time.Duration {
	var ready, done sync.WaitGroup
	open := make(chan struct{})
	for thread := range cell.operations {
		ready.Add(1)
		done.Add(1)
		go func() {
			defer done.Done()
			ready.Done()
			<-open
			cell.work(thread, loops)
		}()
	}
	ready.Wait()
	start := time.Now()
	close(open)
	done.Wait()
	return time.Since(start)
}

func (cell *preparedCell) fingerprint() (object, error) {
	if !cell.comparable || cell.outputs == nil {
		cell.run(1)
	}
	var first object
	for _, out := range cell.outputs {
		digest := sha256.Sum256(out)
		found := object{
			"first8": hex.EncodeToString(out[:min(8, len(out))]),
			"last16": hex.EncodeToString(out[max(0, len(out)-16):]),
			"sha256": hex.EncodeToString(digest[:]),
		}
		if first != nil && first["sha256"] != found["sha256"] {
			return nil, errors.New("the threads' outputs differ")
		}
		first = found
	}
	return first, nil
}

func (p *peer) answer(line []byte) (result object, last bool) {
	defer func() {
		if failure := recover(); failure != nil {
			result = object{"error": fmt.Sprint(failure)}
		}
	}()
	var question struct {
		Hello, Verify, Quit int
		Prepare             *cellName
		Run                 *int
	}
	err := json.Unmarshal(line, &question)
	switch {
	case err != nil:
	case question.Quit != 0:
		return nil, true
	case question.Hello != 0:
		return object{"name": "go", "version": runtime.Version(), "arch": runtime.GOARCH,
			"paths": []string{"go/into", "go/new", "go/inplace"}}, false
	case question.Prepare != nil:
		result, err = p.prepare(*question.Prepare)
	case p.current == nil:
		err = errors.New("run or verify before prepare")
	case question.Run != nil && *question.Run > 0:
		ns, extras := p.current.run(*question.Run)
		result = object{"ns": ns, "extras": extras}
	case question.Verify != 0:
		var found object
		if found, err = p.current.fingerprint(); err == nil {
			result = object{"ok": found}
		}
	default:
		err = fmt.Errorf("unknown question %s", line)
	}
	if no := (unsupported{}); errors.As(err, &no) {
		return object{"unsupported": err.Error()}, false
	}
	if err != nil {
		return object{"error": err.Error()}, false
	}
	return result, false
}

func main() {
	p := &peer{map[cellName]*preparedCell{}, map[int][]byte{}, map[Case]material{}, map[int][]byte{}, nil}
	lines := bufio.NewScanner(os.Stdin)
	answers := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		answer, last := p.answer(lines.Bytes())
		if last {
			return
		}
		if answers.Encode(answer) != nil {
			return
		}
	}
}
