//! Optional, boxed and repeated values, maps and tuples.

use std::{borrow::Cow, collections::BTreeMap};

use serde_json::{Map, Value};

use super::{Codec, Reader};

impl<T: Codec> Codec for Option<T> {
    fn read(value: Value, reader: &mut Reader) -> Self {
        if value.is_null() && !T::takes_null() {
            None
        } else {
            Some(T::read(value, reader))
        }
    }

    fn encode(&self) -> Value {
        self.as_ref().map_or(Value::Null, T::encode)
    }

    fn absent() -> Option<Self> {
        Some(None)
    }

    fn is_absent(&self) -> bool {
        self.is_none()
    }

    fn takes_null() -> bool {
        true
    }
}

impl<T: Codec> Codec for Box<T> {
    fn read(value: Value, reader: &mut Reader) -> Self {
        Self::new(T::read(value, reader))
    }

    fn encode(&self) -> Value {
        (**self).encode()
    }

    fn takes_null() -> bool {
        T::takes_null()
    }
}

impl<T: Codec> Codec for Vec<T> {
    fn read(value: Value, reader: &mut Reader) -> Self {
        array(value, reader)
            .into_iter()
            .enumerate()
            .map(|(index, item)| reader.item(index, item))
            .collect()
    }

    fn encode(&self) -> Value {
        self.iter().map(T::encode).collect()
    }
}

impl<T: Codec> Codec for BTreeMap<String, T> {
    fn read(value: Value, reader: &mut Reader) -> Self {
        <Map<String, Value> as Codec>::read(value, reader)
            .into_iter()
            .map(|(name, value)| (name.clone(), reader.field(Cow::Owned(name), value)))
            .collect()
    }

    fn encode(&self) -> Value {
        self.iter()
            .map(|(name, value)| (name.clone(), value.encode()))
            .collect()
    }
}

macro_rules! tuple {
    ($count:literal: $($name:ident $index:tt),+) => {
        impl<$($name: Codec),+> Codec for ($($name,)+) {
            fn read(value: Value, reader: &mut Reader) -> Self {
                let mut items = array(value, reader);
                if items.len() != $count {
                    reader.mismatch(concat!("an array of ", $count), &Value::Array(Vec::new()));
                    items.resize($count, Value::Null);
                }
                let mut items = items.into_iter();
                ($(reader.item::<$name>($index, items.next().unwrap_or_default()),)+)
            }

            fn encode(&self) -> Value {
                Value::Array(vec![$(self.$index.encode()),+])
            }
        }
    };
}

tuple!(1: A 0);
tuple!(2: A 0, B 1);
tuple!(3: A 0, B 1, C 2);
tuple!(4: A 0, B 1, C 2, D 3);
tuple!(5: A 0, B 1, C 2, D 3, E 4);
tuple!(6: A 0, B 1, C 2, D 3, E 4, F 5);
tuple!(7: A 0, B 1, C 2, D 3, E 4, F 5, G 6);
tuple!(8: A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);

fn array(value: Value, reader: &mut Reader) -> Vec<Value> {
    match value {
        Value::Array(items) => items,
        other => {
            reader.mismatch("an array", &other);
            Vec::new()
        }
    }
}
