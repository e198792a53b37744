//! The types that records are made of.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::hash::{BuildHasher, Hash};
use std::net::{Ipv4Addr, Ipv6Addr};

use serde::Deserialize;

use super::text::escaped;
use super::{Scan, Scanned, blanks, close, item, more, open, text};

impl<'de> Scan<'de> for bool {
    type Plan = ();

    #[inline(always)]
    fn scan(rest: &'de str, (): &mut ()) -> Scanned<'de, Self> {
        match rest.strip_prefix("true") {
            Some(rest) => Some((true, rest)),
            None => Some((false, rest.strip_prefix("false")?)),
        }
    }
}

impl<'de: 'a, 'a> Scan<'de> for &'a str {
    type Plan = ();

    #[inline(always)]
    fn scan(rest: &'de str, (): &mut ()) -> Scanned<'de, Self> {
        text(rest)
    }
}

impl<'de: 'a, 'a> Scan<'de> for Cow<'a, str> {
    type Plan = ();

    #[inline(always)]
    fn scan(rest: &'de str, (): &mut ()) -> Scanned<'de, Self> {
        match text(rest) {
            Some((text, rest)) => Some((Cow::Borrowed(text), rest)),
            None => escaped(rest).map(|(text, rest)| (Cow::Owned(text), rest)),
        }
    }
}

impl<'de> Scan<'de> for String {
    type Plan = ();

    #[inline]
    fn scan(rest: &'de str, (): &mut ()) -> Scanned<'de, Self> {
        match text(rest) {
            Some((text, rest)) => Some((text.to_owned(), rest)),
            None => escaped(rest),
        }
    }
}

impl<'de> Scan<'de> for Box<str> {
    type Plan = ();

    #[inline]
    fn scan(rest: &'de str, (): &mut ()) -> Scanned<'de, Self> {
        let (text, rest) = String::scan(rest, &mut ())?;
        Some((text.into_boxed_str(), rest))
    }
}

impl<'de> Scan<'de> for char {
    type Plan = ();

    #[inline]
    fn scan(rest: &'de str, (): &mut ()) -> Scanned<'de, Self> {
        let (text, rest) = text(rest)?;
        let mut chars = text.chars();
        let char = chars.next()?;
        chars.next().is_none().then_some((char, rest))
    }
}

impl<'de, T: Scan<'de>> Scan<'de> for Option<T> {
    type Plan = T::Plan;
    const BUFFERED: bool = T::BUFFERED;

    #[inline(always)]
    fn scan(rest: &'de str, plan: &mut T::Plan) -> Scanned<'de, Self> {
        if let Some(rest) = rest.strip_prefix("null") {
            return Some((None, rest));
        }
        let (value, rest) = T::scan(rest, plan)?;
        Some((Some(value), rest))
    }

    #[inline(always)]
    fn missing() -> Option<Self> {
        Some(None)
    }
}

impl<'de, T: Scan<'de>> Scan<'de> for Box<T> {
    type Plan = T::Plan;
    const BUFFERED: bool = T::BUFFERED;

    #[inline]
    fn scan(rest: &'de str, plan: &mut T::Plan) -> Scanned<'de, Self> {
        let (value, rest) = T::scan(rest, plan)?;
        Some((Self::new(value), rest))
    }

    #[inline]
    fn missing() -> Option<Self> {
        T::missing().map(Self::new)
    }
}

impl<'de, T: Scan<'de>> Scan<'de> for Vec<T> {
    type Plan = T::Plan;
    const BUFFERED: bool = T::BUFFERED;

    #[inline]
    fn scan(rest: &'de str, plan: &mut T::Plan) -> Scanned<'de, Self> {
        let (mut another, mut rest) = open(rest, ['[', ']'])?;
        let mut items = Self::new();
        while another {
            let (item, after) = T::scan(rest, plan)?;
            items.push(item);
            (another, rest) = more(after, ']')?;
        }
        Some((items, rest))
    }
}

impl<'de, T: Scan<'de>, const N: usize> Scan<'de> for [T; N] {
    type Plan = T::Plan;
    const BUFFERED: bool = T::BUFFERED;

    #[inline]
    fn scan(rest: &'de str, plan: &mut T::Plan) -> Scanned<'de, Self> {
        let mut rest = blanks(rest.strip_prefix('[')?);
        let mut items = [const { None }; N];
        for (index, place) in items.iter_mut().enumerate() {
            let (value, after) = T::scan(item(rest, index)?, plan)?;
            (*place, rest) = (Some(value), after);
        }
        let rest = close(rest, ']')?;
        Some((items.map(|item| item.expect("every place was filled")), rest))
    }
}

macro_rules! tuples {
    ($(($($t:ident $value:ident $index:tt),*))*) => {$(
        impl<'de, $($t: Scan<'de>),*> Scan<'de> for ($($t,)*) {
            type Plan = ($($t::Plan,)*);
            const BUFFERED: bool = $($t::BUFFERED)&&*;

            #[inline]
            fn scan(rest: &'de str, plan: &mut Self::Plan) -> Scanned<'de, Self> {
                let rest = blanks(rest.strip_prefix('[')?);
                $(let ($value, rest) = $t::scan(item(rest, $index)?, &mut plan.$index)?;)*
                Some((($($value,)*), close(rest, ']')?))
            }
        }
    )*};
}

tuples! {
    (A a 0)
    (A a 0, B b 1)
    (A a 0, B b 1, C c 2)
    (A a 0, B b 1, C c 2, D d 3)
}

/// Types of the standard library that are left to serde.
macro_rules! by_serde {
    ($([$($generics:tt)*] $t:ty;)*) => {$(
        impl<'de, $($generics)*> Scan<'de> for $t where Self: Deserialize<'de> {
            type Plan = ();
            const BUFFERED: bool = false;

            #[inline]
            fn scan(rest: &'de str, (): &mut ()) -> Scanned<'de, Self> {
                super::serde(rest)
            }
        }
    )*};
}

by_serde! {
    [K: Eq + Hash, V, S: BuildHasher + Default] HashMap<K, V, S>;
    [K: Ord, V] BTreeMap<K, V>;
    [T: Eq + Hash, S: BuildHasher + Default] HashSet<T, S>;
    [T: Ord] BTreeSet<T>;
    [T] VecDeque<T>;
    [] Ipv4Addr;
    [] Ipv6Addr;
}
