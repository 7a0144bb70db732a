//! Enums with a fact about each variant, given where the variant is defined.

/// Defines an enum and a method that returns a fact about each value. Each variant is followed by `=>`, the fact and a
/// semicolon. The fact can use the variant's fields by name, so the field of a tuple variant also has a name before its
/// type. A new variant is thus defined, documented and explained in one place, and cannot lack its fact.
#[doc(hidden)]
#[macro_export]
macro_rules! with_facts {
    (
        $(#[$on_enum:meta])*
        $vis:vis enum $Enum:ident {
            $(
                $(#[$on_variant:meta])*
                $Variant:ident
                $({ $($(#[$on_field:meta])* $field:ident: $Field:ty),+ $(,)? })?
                $(($(#[$on_value:meta])* $value:ident: $Value:ty))?
                => $fact:expr;
            )+
        }

        $(#[$on_method:meta])*
        $method_vis:vis fn $method:ident() -> $Fact:ty;
    ) => {
        $(#[$on_enum])*
        $vis enum $Enum {
            $(
                $(#[$on_variant])*
                $Variant $({ $($(#[$on_field])* $field: $Field),+ })? $(($(#[$on_value])* $Value))?,
            )+
        }

        impl $Enum {
            $(#[$on_method])*
            #[allow(unused_variables, reason = "a fact need not use all fields")]
            $method_vis fn $method(&self) -> $Fact {
                match self {
                    $(Self::$Variant $({ $($field),+ })? $(($value))? => $fact,)+
                }
            }
        }
    };
}
pub use with_facts;

#[cfg(test)]
mod tests {
    with_facts! {
        #[derive(Debug)]
        enum Shape {
            Point => 0.0;
            Circle { radius: f64 } => radius * radius * 3.0;
            Square(side: f64) => side * side;
            Unknown { name: &'static str } => if *name == "nothing" { 0.0 } else { 1.0 };
        }

        fn area() -> f64;
    }

    #[test]
    fn a_fact_follows_from_the_fields_of_its_variant() {
        let shapes = [
            (Shape::Point, 0.0),
            (Shape::Circle { radius: 2.0 }, 12.0),
            (Shape::Square(3.0), 9.0),
            (Shape::Unknown { name: "nothing" }, 0.0),
            (Shape::Unknown { name: "blob" }, 1.0),
        ];
        for (shape, area) in shapes {
            assert!((shape.area() - area).abs() < f64::EPSILON, "{shape:?}");
        }
    }
}
