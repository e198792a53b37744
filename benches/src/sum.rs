//! What came out: rows, bytes and a checksum that does not depend on the order of rows.
//!
//! Used to prove two programs equal before they are timed; rows are found again by `row_len`.

/// What a program wrote.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Sum {
    /// Rows.
    pub rows: u64,
    /// Encoded bytes.
    pub bytes: u64,
    /// Sum over rows of their FNV-1a hash, wrapping.
    pub checksum: u64,
}

impl Sum {
    /// Adds the rows in `bytes`; `row_len` tells the length of the first row of what it is given.
    pub fn add(&mut self, mut bytes: &[u8], row_len: fn(&[u8]) -> usize) {
        self.bytes += bytes.len() as u64;
        while !bytes.is_empty() {
            let (row, rest) = bytes.split_at(row_len(bytes));
            self.rows += 1;
            self.checksum = self.checksum.wrapping_add(fnv(row));
            bytes = rest;
        }
    }
}

/// FNV-1a, 64 bits.
fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
