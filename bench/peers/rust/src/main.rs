//! ring, AWS-LC and RustCrypto as peers of the benchmark (docs/peers.md).

mod aws_lc;
mod protocol;
mod ring_path;
mod rustcrypto;
mod workload;

fn main() {
    protocol::serve();
}
