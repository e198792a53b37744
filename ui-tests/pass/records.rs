//! What records are made of, and what is known of them when the program compiles.

use spate::__private::{DataType, FieldType as _, Record as _, Shape, Tag};
use spate::prelude::*;

#[derive(Deserialize, Record)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Order<'a> {
    order_id: u64,
    #[serde(borrow, alias = "client")]
    customer: Cow<'a, str>,
    note: Option<&'a str>,
    #[serde(rename = "type")]
    kind: Kind,
    #[serde(default)]
    lines: Vec<Line>,
    #[record(serde)]
    took: std::time::Duration,
    #[serde(skip)]
    seen: u32,
}

#[derive(Clone, Copy, Deserialize, Record)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Placed,
    #[serde(alias = "returned")]
    Refunded,
}

#[derive(Deserialize, Record)]
struct Line {
    sku: [u8; 4],
    price: f64,
}

#[derive(Deserialize, Record)]
#[serde(tag = "event")]
enum Event<'a> {
    Ping,
    #[serde(borrow)]
    Order(Order<'a>),
    Moved { x: i32, y: i32 },
}

#[derive(Deserialize, Record)]
struct Tree {
    name: String,
    #[record(serde)]
    children: Vec<Tree>,
}

/// A record may be more public than the types it is made of.
mod public {
    #![deny(unreachable_pub, unnameable_types, missing_debug_implementations, missing_docs)]

    use spate::prelude::*;

    /// Seen by everybody.
    #[derive(Debug, Deserialize, Record)]
    pub struct Basket<'a, const N: usize>
    where
        [u8; N]: Sized,
    {
        #[serde(borrow)]
        items: Vec<Item<'a>>,
        payment: Payment,
        at: Plan,
        #[serde(skip)]
        kept: std::marker::PhantomData<[(); N]>,
    }

    #[derive(Debug, Deserialize, Record)]
    struct Item<'a> {
        sku: &'a str,
    }

    #[derive(Debug, Deserialize, Record)]
    #[serde(tag = "by")]
    enum Payment {
        Card { last: u16 },
        Cash(Plan),
    }

    #[derive(Debug, Deserialize, Record)]
    struct Plan {
        hour: u8,
    }
}
pub use public::Basket;

/// Nothing generated is led astray by names of the user.
mod names {
    #![allow(dead_code, non_camel_case_types)]

    type Some = ();
    struct Result;

    #[derive(serde::Deserialize, spate::Record)]
    #[record(crate = ::spate)]
    pub struct Option {
        pub rest: u8,
        pub plan: u8,
        pub value: u8,
        pub tag: u8,
        pub r#type: u8,
    }
}

const _: () = {
    let Shape::Struct(fields) = Order::SHAPE else { panic!() };
    assert!(fields.len() == 6);
    assert!(matches!(fields[0].shape, Shape::Scalar(DataType::UInt64)));
    assert!(matches!(fields[1].shape, Shape::Scalar(DataType::String)));
    assert!(fields[2].nullable() && !fields[1].nullable());
    assert!(fields[4].default && !fields[0].default);
    assert!(matches!(fields[5].shape, Shape::Opaque));
    let Shape::Enum(Tag::Inside(_), variants) = Event::SHAPE else { panic!() };
    assert!(variants.len() == 3 && variants[0].shape.is_none());
};

fn main() {
    let Shape::Struct(fields) = Order::SHAPE else { panic!() };
    let names: Vec<&str> = fields.iter().map(|field| field.name).collect();
    assert_eq!(names, ["orderId", "customer", "note", "type", "lines", "took"]);
    assert_eq!(fields[1].aliases, ["client"]);
    assert_eq!(fields[2].rust_type, "Option<&'a str>");
    let Shape::Enum(Tag::Outside, variants) = Kind::SHAPE else { panic!() };
    assert_eq!(variants[1].name, "refunded");
    assert_eq!((Tree::NAME, Order::NAME, names::Option::NAME), ("Tree", "Order", "Option"));
    let _ = |o: Order<'_>| {
        let _ = (o.order_id, o.customer.len(), o.note, o.kind, o.lines.len(), o.took, o.seen);
    };
    let _ = |line: Line, tree: Tree| (line.sku, line.price, tree.name, tree.children);
    let _ = |event: Event<'_>| match event {
        Event::Ping => 0,
        Event::Order(order) => order.order_id,
        Event::Moved { x, y } => u64::from(x > y),
    };
    let _ = [Kind::Placed, Kind::Refunded];
}
