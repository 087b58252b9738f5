//! Questions, answers, and the timed loop.

use crate::workload::{Case, Material, Mode, TAG, Workload};
use crate::{aws_lc, ring_path, rustcrypto};
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::io::{BufRead, Write};
use std::sync::{Arc, Barrier};
use std::time::Instant;

/// Why something was not done.
pub enum Why {
    Unsupported(String),
    Failed(String),
}

impl Why {
    pub fn unsupported(text: &str) -> Why {
        Why::Unsupported(text.to_string())
    }
}

/// One library's way to do a case, with its key set up. Both calls say whether all went well.
pub trait Engine: Send + Sync {
    fn apply(&self, _source: &[u8], _target: &mut [u8]) -> bool {
        false
    }
    fn in_place(&self, _buffer: &mut [u8]) -> bool {
        false
    }
    fn placements(&self) -> &'static [&'static str];
    fn statement(&self) -> &'static str;
}

type Make = fn(&Case, &Material) -> Result<Box<dyn Engine>, Why>;

const PATHS: [(&str, Make, &[&str]); 3] = [
    ("rust-ring", ring_path::make, &["inplace", "into", "new"]),
    ("rust-aws-lc", aws_lc::make, &["inplace", "into", "new"]),
    ("rustcrypto", rustcrypto::make, &["into", "new", "inplace"]),
];

/// The versions that Cargo.lock pins.
fn versions() -> Value {
    let lock = include_str!("../Cargo.lock");
    let version = |name: &str| {
        let mut lines = lock
            .lines()
            .skip_while(|line| *line != format!("name = \"{name}\""));
        let line = lines.nth(1).unwrap_or_default();
        format!(
            "{name} {}",
            line.trim_start_matches("version = ").trim_matches('"')
        )
    };
    json!({
        "rust-ring": version("ring"),
        "rust-aws-lc": format!("{}, {}", version("aws-lc-rs"), version("aws-lc-sys")),
        "rustcrypto": format!("{}, {}, {}", version("aes"), version("aes-gcm"), version("sha2")),
    })
}

struct Cell {
    case: Case,
    make: Make,
    engine: Box<dyn Engine>,
    material: Material,
    placement: String,
    per_call: bool,
    threads: usize,
    answer: Value,
}

impl Cell {
    fn is_in_place(&self) -> bool {
        self.placement == "inplace"
    }

    /// Room of the output; a padded decryption is given room for the padding by its library's wish.
    fn room(&self) -> usize {
        self.case.output_len().max(if self.case.padded() {
            self.material.data.len()
        } else {
            0
        })
    }

    /// One thread's loop; the output is in `out` afterwards.
    fn work(&self, out: &mut Vec<u8>, loops: u64) -> bool {
        let (data, length, room) = (&self.material.data[..], self.case.output_len(), self.room());
        let mut ok = true;
        for _ in 0..loops {
            let made;
            let engine = if self.per_call {
                let Ok(fresh) = (self.make)(&self.case, &self.material) else {
                    return false;
                };
                made = fresh;
                &made
            } else {
                &self.engine
            };
            ok &= match self.placement.as_str() {
                "inplace" => engine.in_place(&mut out[..length]),
                "into" => engine.apply(data, &mut out[..room]),
                _ => {
                    *out = vec![0; room];
                    engine.apply(data, out)
                }
            };
        }
        ok
    }
}

#[derive(Default)]
struct Peer {
    workload: Workload,
    materials: HashMap<Case, Material>,
    cells: HashMap<String, Cell>,
    current: Option<String>,
    outputs: Vec<Vec<u8>>, // reused, one a thread
    fresh: Vec<Vec<u8>>,   // what `new` left
    comparable: bool,
}

impl Peer {
    fn material(&mut self, case: &Case) -> Result<Material, Why> {
        if let Some(known) = self.materials.get(case) {
            return Ok(known.clone());
        }
        let mut material = self.workload.plain(case);
        if case.decrypt {
            let encrypt = Case {
                decrypt: false,
                ..*case
            };
            let mut out = vec![0; encrypt.output_len()];
            if !rustcrypto::make(&encrypt, &material)?.apply(&material.data, &mut out) {
                return Err(Why::Failed("the input could not be made".into()));
            }
            material.data = Arc::new(out);
        }
        self.materials.insert(*case, material.clone());
        Ok(material)
    }

    fn prepare(&mut self, asked: &Value) -> Result<Value, Why> {
        let id = asked.to_string();
        self.current = None;
        self.fresh.clear(); // fresh outputs live no longer than anybody asks for them
        if let Some(cell) = self.cells.get(&id) {
            self.current = Some(id);
            return Ok(cell.answer.clone());
        }
        let text = |name: &str| asked[name].as_str().unwrap_or_default().to_string();
        let case =
            Case::parse(&text("case")).ok_or(Why::Failed(format!("bad case {}", text("case"))))?;
        let (_, make, _) = PATHS
            .iter()
            .find(|(name, ..)| *name == text("path"))
            .ok_or(Why::Failed(format!("unknown path {}", text("path"))))?;
        let per_call = text("key") == "per-call";
        if case.mode == Mode::Sha256 && per_call {
            return Err(Why::unsupported("SHA-256 has no key"));
        }
        let placement = text("placement");
        if case.mode == Mode::Gcm && case.decrypt && placement == "inplace" {
            return Err(Why::unsupported(
                "decrypting GCM in place needs fresh ciphertext for every call",
            ));
        }
        let plain = self.workload.plain(&case); // the key; whether the path can do it comes first
        let engine = make(&case, &plain)?;
        if !engine.placements().contains(&placement.as_str()) {
            let offered = engine.placements().join(", ");
            return Err(Why::Unsupported(format!(
                "the interface of {} offers {offered}",
                text("path")
            )));
        }
        let threads = asked["threads"].as_u64().unwrap_or(1).clamp(1, 256) as usize;
        let material = self.material(&case)?;
        let answer = Value::Null;
        let make = *make;
        let cell = Cell {
            case,
            make,
            engine,
            material,
            placement,
            per_call,
            threads,
            answer,
        };
        let (ns, _) = self.run(&cell, 1)?;
        let print = self.fingerprint(&cell)?;
        let details = json!({ "statement": cell.engine.statement() });
        let answer = json!({ "ok": print, "ns": ns, "details": details });
        self.cells.insert(
            id.clone(),
            Cell {
                answer: answer.clone(),
                ..cell
            },
        );
        self.current = Some(id);
        Ok(answer)
    }

    fn run(&mut self, cell: &Cell, loops: u64) -> Result<(u64, Value), Why> {
        let (length, data) = (cell.case.output_len(), &cell.material.data[..]);
        self.fresh.clear();
        while self.outputs.len() < cell.threads {
            self.outputs.push(Vec::new());
        }
        for out in &mut self.outputs[..cell.threads] {
            let need = cell.room().max(data.len()) + TAG;
            if cell.placement != "new" && out.len() < need {
                *out = vec![0xa5; need]; // touch every page before any clock runs
            }
            match cell.placement.as_str() {
                "inplace" => out[..data.len()].copy_from_slice(data),
                "into" => {
                    out[..length.min(16)].fill(0xa5);
                    out[length - length.min(16)..length].fill(0xa5);
                }
                _ => {}
            }
        }
        let mut fresh = vec![Vec::new(); cell.threads];
        let targets = if cell.placement == "new" {
            &mut fresh
        } else {
            &mut self.outputs
        };
        self.comparable = loops == 1 || !cell.is_in_place();
        let before = counters();
        let (ns, ok) = if cell.threads == 1 {
            let start = Instant::now();
            let ok = cell.work(&mut targets[0], loops);
            (start.elapsed().as_nanos(), ok)
        } else {
            run_threads(cell, &mut targets[..cell.threads], loops)
        };
        let extras = since(before);
        self.fresh = fresh;
        if ok {
            Ok((ns as u64, extras))
        } else {
            Err(Why::Failed("the library refused a call".into()))
        }
    }

    fn fingerprint(&mut self, cell: &Cell) -> Result<Value, Why> {
        let lost = cell.placement == "new" && self.fresh.is_empty();
        if !self.comparable || lost {
            self.run(cell, 1)?;
        }
        let length = cell.case.output_len();
        let outputs = if cell.placement == "new" {
            &self.fresh
        } else {
            &self.outputs
        };
        let mut prints = outputs[..cell.threads].iter().map(|out| {
            let out = &out[..length];
            let digest = ring::digest::digest(&ring::digest::SHA256, out);
            json!({
                "first8": hex(&out[..length.min(8)]),
                "last16": hex(&out[length - length.min(16)..]),
                "sha256": hex(digest.as_ref()),
            })
        });
        let first = prints.next().unwrap_or_default();
        if prints.all(|other| other == first) {
            Ok(first)
        } else {
            Err(Why::Failed("the threads' outputs differ".into()))
        }
    }

    /// Do something with the current cell, which is taken out of the map for the time.
    fn with_current<T>(
        &mut self,
        act: impl FnOnce(&mut Peer, &Cell) -> Result<T, Why>,
    ) -> Result<T, Why> {
        let none = || Why::Failed("run or verify before prepare".into());
        let id = self.current.clone().ok_or_else(none)?;
        let cell = self.cells.remove(&id).ok_or_else(none)?;
        let result = act(self, &cell);
        self.cells.insert(id, cell);
        result
    }

    fn answer(&mut self, question: &Value) -> Result<Value, Why> {
        if question.get("hello").is_some() {
            let offers: Vec<String> = PATHS
                .iter()
                .flat_map(|(path, _, placements)| {
                    placements.iter().map(move |each| format!("{path}/{each}"))
                })
                .collect();
            let arch = std::env::consts::ARCH;
            return Ok(json!({
                "name": "rust", "version": "release build", "arch": arch, "paths": offers, "versions": versions(),
            }));
        }
        if let Some(asked) = question.get("prepare") {
            return self.prepare(asked);
        }
        if let Some(loops) = question["run"].as_u64().filter(|loops| *loops > 0) {
            let (ns, extras) = self.with_current(|peer, cell| peer.run(cell, loops))?;
            return Ok(json!({ "ns": ns, "extras": extras }));
        }
        if question.get("verify").is_some() {
            return Ok(json!({ "ok": self.with_current(Peer::fingerprint)? }));
        }
        Err(Why::Failed("unknown question".into()))
    }
}

fn run_threads(cell: &Cell, targets: &mut [Vec<u8>], loops: u64) -> (u128, bool) {
    let barrier = Barrier::new(targets.len() + 1);
    std::thread::scope(|scope| {
        let spawn = |out| {
            scope.spawn(|| {
                let out: &mut Vec<u8> = out;
                barrier.wait();
                cell.work(out, loops)
            })
        };
        let threads: Vec<_> = targets.iter_mut().map(spawn).collect();
        barrier.wait();
        let start = Instant::now();
        let ok = threads
            .into_iter()
            .all(|thread| thread.join().unwrap_or(false));
        (start.elapsed().as_nanos(), ok)
    })
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Page faults and processor time up to now, where the system tells them.
#[cfg(unix)]
fn counters() -> Option<(i64, i64)> {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: getrusage fills the structure it is given, which lives on.
    let usage = unsafe {
        if libc::getrusage(libc::RUSAGE_SELF, usage.as_mut_ptr()) != 0 {
            return None;
        }
        usage.assume_init()
    };
    let ns = |time: libc::timeval| time.tv_sec as i64 * 1_000_000_000 + time.tv_usec as i64 * 1000;
    Some((
        usage.ru_minflt as i64 + usage.ru_majflt as i64,
        ns(usage.ru_utime) + ns(usage.ru_stime),
    ))
}

#[cfg(not(unix))]
fn counters() -> Option<(i64, i64)> {
    None
}

fn since(before: Option<(i64, i64)>) -> Value {
    let mut extras = Map::new();
    if let (Some((faults, cpu)), Some((faults_now, cpu_now))) = (before, counters()) {
        extras.insert("page_faults".into(), json!(faults_now - faults));
        extras.insert("cpu_ns".into(), json!(cpu_now - cpu));
    }
    Value::Object(extras)
}

/// Answer until told to quit, or until nobody asks any more.
pub fn serve() {
    let mut peer = Peer::default();
    for line in std::io::stdin().lock().lines() {
        let Ok(question) = line.map(|line| serde_json::from_str(&line).unwrap_or(Value::Null))
        else {
            return;
        };
        if question.get("quit").is_some() {
            return;
        }
        let answer = match peer.answer(&question) {
            Ok(answer) => answer,
            Err(Why::Unsupported(why)) => json!({ "unsupported": why }),
            Err(Why::Failed(why)) => json!({ "error": why }),
        };
        let mut output = std::io::stdout().lock();
        if writeln!(output, "{answer}")
            .and_then(|()| output.flush())
            .is_err()
        {
            return;
        }
    }
}
