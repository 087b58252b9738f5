//go:build unix

package main

import "syscall"

// Page faults and processor time of this process up to now.
func counters() (faults, cpuNs int64) {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return 0, 0
	}
	return int64(usage.Minflt) + int64(usage.Majflt), usage.Utime.Nano() + usage.Stime.Nano()
}

const hasCounters = true
