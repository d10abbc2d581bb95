//! Customers that a district starts with, and their payments (clause 4.3.3.1).

use logtrace_common::random::{Xoshiro256PlusPlus, below};

use crate::workloads::tpcc::inputs::DistrictKey;
use crate::workloads::tpcc::nurand::{LOADED_NAME, uniform};
use crate::workloads::tpcc::options::CUSTOMERS;
use crate::workloads::tpcc::profile::Profile;
use crate::workloads::tpcc::random_text::{digits, last_name, letters, letters_and_digits};

/// Number of customers that get the names 0 to 999 in this order, so that each name exists.
const NAMED_IN_ORDER: u32 = 1_000;

/// Draws the values of street 1, street 2, city, state and ZIP code.
pub(crate) fn address(rng: &mut Xoshiro256PlusPlus) -> String {
    let [street_1, street_2, city] = [(); 3].map(|()| letters_and_digits(rng, 10, 20));
    let (state, zip) = (letters(rng, 2), digits(rng, 4));
    format!("'{street_1}','{street_2}','{city}','{state}','{zip}11111'")
}

/// Draws a rate of at most `max` ten-thousandths.
pub(crate) fn rate(rng: &mut Xoshiro256PlusPlus, max: u32) -> String {
    format!("0.{:04}", uniform(rng, 0, max))
}

/// Returns the rows of `customer`.
pub(crate) fn customers(key: DistrictKey, mut rng: Xoshiro256PlusPlus) -> impl Iterator<Item = String> {
    (1..=CUSTOMERS).map(move |number| customer(key, number, &mut rng))
}

fn customer(key: DistrictKey, number: u32, rng: &mut Xoshiro256PlusPlus) -> String {
    let DistrictKey { warehouse, district } = key;
    let name = match number {
        0..=NAMED_IN_ORDER => number - 1,
        _ => LOADED_NAME.draw(Profile::Specification, rng),
    };
    let last = last_name(name);
    let first = letters_and_digits(rng, 8, 16);
    let (address, phone) = (address(rng), digits(rng, 16));
    let credit = if below(rng, 10) == 0 { "BC" } else { "GC" };
    let (discount, data) = (rate(rng, 5_000), letters_and_digits(rng, 300, 500));
    format!(
        "({number},{district},{warehouse},'{first}','OE','{last}',{address},'{phone}',NOW(),'{credit}',50000.00,\
         {discount},-10.00,10.00,1,0,'{data}')"
    )
}

/// Returns the rows of `history`: each customer has paid once.
pub(crate) fn payments(key: DistrictKey, mut rng: Xoshiro256PlusPlus) -> impl Iterator<Item = String> {
    let DistrictKey { warehouse, district } = key;
    (1..=CUSTOMERS).map(move |number| {
        let data = letters_and_digits(&mut rng, 12, 24);
        format!("({number},{district},{warehouse},{district},{warehouse},NOW(),10.00,'{data}')")
    })
}

#[cfg(test)]
mod tests {
    use logtrace_common::random::Stream;

    use super::*;
    use crate::util::test_fit::assert_fits;

    const KEY: DistrictKey = DistrictKey {
        warehouse: 2,
        district: 9,
    };

    #[test]
    fn every_name_exists_and_a_tenth_has_bad_credit() {
        let rows: Vec<String> = customers(KEY, Stream::Load(1).rng(1)).collect();
        assert_eq!(rows.len(), 3000);
        for (number, row) in (1..).zip(&rows) {
            assert!(row.starts_with(&format!("({number},9,2,'")), "{row}");
            assert_eq!(row.matches(',').count(), 20, "21 columns: {row}");
        }
        for (name, row) in (0..1000).zip(&rows) {
            assert!(row.contains(&format!("'OE','{}',", last_name(name))));
        }
        let bad = rows.iter().filter(|row| row.contains(",'BC',")).count() as u64;
        assert_fits(&[bad, 3000 - bad], &[0.1, 0.9]);
    }
}
