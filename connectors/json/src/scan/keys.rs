//! Which key comes next: what was seen last time.
//!
//! ```text
//! straight? ── the record in declared order, without blanks, every key there
//!   no, but keyed read it: keyed alone for the next 32 records, then straight is tried again
//! keyed ── behind each field stands the key that followed it last; where another one is met, it
//!   is looked up and takes that place
//! ```

use super::{Scanned, blanks, text};

/// The field of a key that no field has.
pub const UNKNOWN: usize = usize::MAX;

/// Records that are read key by key before the declared order is tried again.
const PAUSE: u8 = 32;

/// The order of keys seen last, in a record of `PLACES - 1` fields.
#[derive(Clone, Debug)]
pub struct Keys<const PLACES: usize> {
    /// Before the first field and behind each: the place in the table of names that came next.
    next: [u16; PLACES],
    /// Records until the declared order is tried again.
    pause: u8,
}

impl<const PLACES: usize> Default for Keys<PLACES> {
    fn default() -> Self {
        let next = std::array::from_fn(|place| u16::try_from(place).unwrap_or(u16::MAX));
        Self { next, pause: 0 }
    }
}

impl<const PLACES: usize> Keys<PLACES> {
    /// Reads a record, in declared order if that may do.
    #[inline(always)]
    pub fn read<'de, T, P>(
        plan: &mut (Self, P),
        rest: &'de str,
        straight: impl FnOnce(&'de str, &mut P) -> Scanned<'de, T>,
        keyed: impl FnOnce(&'de str, &mut (Self, P)) -> Scanned<'de, T>,
    ) -> Scanned<'de, T> {
        if plan.0.pause == 0 {
            let read = straight(rest, &mut plan.1);
            if read.is_some() {
                return read;
            }
        }
        let read = keyed(rest, plan);
        if read.is_some() {
            plan.0.pause = plan.0.pause.checked_sub(1).unwrap_or(PAUSE);
        }
        read
    }

    /// The field whose key stands at the start of `rest`, and what follows the colon. `place` is 0
    /// before the first field, and one more than the field seen last behind it.
    #[inline(always)]
    pub fn find<'de>(
        &mut self,
        place: usize,
        rest: &'de str,
        names: &[(&str, usize)],
    ) -> Scanned<'de, usize> {
        if let Some(inside) = rest.strip_prefix('"')
            && let Some(guess) = self.next.get(place)
            && let Some((name, field)) = names.get(usize::from(*guess))
            && let Some(after) = inside.strip_prefix(*name)
            && let Some(after) = after.strip_prefix("\":")
        {
            return Some((*field, blanks(after)));
        }
        self.search(place, rest, names)
    }

    #[inline(never)]
    fn search<'de>(
        &mut self,
        place: usize,
        rest: &'de str,
        names: &[(&str, usize)],
    ) -> Scanned<'de, usize> {
        let (key, rest) = text(rest)?;
        let rest = blanks(blanks(rest).strip_prefix(':')?);
        let Some(found) = names.iter().position(|(name, _)| *name == key) else {
            return Some((UNKNOWN, rest));
        };
        if let (Some(next), Ok(found)) = (self.next.get_mut(place), u16::try_from(found)) {
            *next = found;
        }
        Some((names[found].1, rest))
    }
}
