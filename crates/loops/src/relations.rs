//! Finds relations between numbers that hold in samples of them: candidates for what all iterations keep.

use aback_logic::{Conversion, Integer, Pool, Term};
use rustc_hash::FxHashSet;

/// Most samples that are looked at.
const MOST_SAMPLES: usize = 96;
/// More samples than monomials, so that an equation is no accident.
const EXCESS: usize = 3;
/// The numbers of variables up to which equations of degree three, two and one are looked for.
const MOST_VARIABLES: [usize; 3] = [2, 4, 8];
/// Linear equations with greater factors are accidents.
const MOST_FACTOR: i64 = 1_000_000;
/// Most variables that are compared with each other.
const MOST_ORDERED: usize = 6;
/// Most factors or limits of which each is tried.
const MOST_TRIED: usize = 2;
/// Most growing variables whose sums are looked at.
const MOST_SUMMED: usize = 4;
/// Equations with greater coefficients are accidents.
const MOST_COEFFICIENT: i64 = 1_000;

/// A relation between variables, which are given by their positions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Relation {
    /// A variable is not negative.
    NotNegative(usize),
    /// A variable is not positive.
    NotPositive(usize),
    /// The first variable is at most the second one.
    AtMost(usize, usize),
    /// The sum of variables is at most the greater one of another variable and zero. This holds before the first iteration,
    /// too, if the sum is zero there.
    Within(Vec<usize>, usize),
    /// A variable is a multiple of a number.
    Multiple(usize, Integer),
    /// A polynomial is zero.
    Vanishes(Polynomial),
    /// A sum of multiples of variables is a multiple of a number.
    Congruent(Linear, Integer),
    /// A sum of multiples of machine integers is zero modulo the power of two with this exponent, whatever wraps around.
    Wraps(Linear, u32),
    /// A sum of multiples of variables is at most this.
    Limited(Linear, Integer),
}

/// A sum of multiples of variables.
pub type Linear = Vec<(Integer, usize)>;

/// A sum of products of a number and of variables.
type Polynomial = Vec<(Integer, Vec<usize>)>;

impl Relation {
    /// The positions of its variables.
    pub fn variables(&self) -> Vec<usize> {
        match self {
            Relation::NotNegative(variable) | Relation::NotPositive(variable) | Relation::Multiple(variable, _) => {
                vec![*variable]
            }
            Relation::AtMost(one, other) => vec![*one, *other],
            Relation::Within(sum, limit) => sum.iter().chain([limit]).copied().collect(),
            Relation::Vanishes(polynomial) => polynomial.iter().flat_map(|(_, variables)| variables).copied().collect(),
            Relation::Congruent(sum, _) | Relation::Wraps(sum, _) | Relation::Limited(sum, _) => {
                sum.iter().map(|(_, variable)| *variable).collect()
            }
        }
    }

    /// The relation between these integers.
    pub fn between(&self, pool: &mut Pool, values: &[Term]) -> Term {
        let zero = pool.int(0);
        match self {
            Relation::NotNegative(variable) => pool.le(zero, values[*variable]),
            Relation::NotPositive(variable) => pool.le(values[*variable], zero),
            Relation::AtMost(one, other) => pool.le(values[*one], values[*other]),
            Relation::Within(sum, limit) => {
                let sum = sum.iter().fold(zero, |sum, &variable| pool.add(sum, values[variable]));
                let (is_within, is_zero) = (pool.le(sum, values[*limit]), pool.le(sum, zero));
                pool.or(is_within, is_zero)
            }
            Relation::Multiple(variable, of) => {
                let of = pool.integer(of.clone());
                let rest = pool.int_mod(values[*variable], of);
                pool.eq(rest, zero)
            }
            Relation::Vanishes(polynomial) => {
                let mut sum = zero;
                for (coefficient, variables) in polynomial {
                    let mut product = pool.integer(coefficient.clone());
                    for &variable in variables {
                        product = pool.mul(product, values[variable]);
                    }
                    sum = pool.add(sum, product);
                }
                pool.eq(sum, zero)
            }
            Relation::Congruent(sum, of) => {
                let (sum, of) = (total(pool, sum, values), pool.integer(of.clone()));
                let rest = pool.int_mod(sum, of);
                pool.eq(rest, zero)
            }
            Relation::Wraps(sum, width) => {
                let sum = total(pool, sum, values);
                let (rest, none) = (pool.convert(Conversion::IntToBv(*width), sum), pool.bv(*width, 0));
                pool.eq(rest, none)
            }
            Relation::Limited(sum, most) => {
                let (sum, most) = (total(pool, sum, values), pool.integer(most.clone()));
                pool.le(sum, most)
            }
        }
    }
}

/// A sum of multiples of values.
fn total(pool: &mut Pool, sum: &Linear, values: &[Term]) -> Term {
    sum.iter().fold(Pool::ZERO, |total, (factor, variable)| {
        let factor = pool.integer(factor.clone());
        let product = pool.mul(factor, values[*variable]);
        pool.add(total, product)
    })
}

/// The sums of multiples of numbers that are multiples of a number in all samples, and in all sums of samples: with the factors,
/// and that number; 0 if the sum is 0.
///
/// The samples, as the rows of a matrix, are made diagonal by adding multiples of rows and columns to others. What was done to
/// the columns gives the factors (Smith's normal form).
pub fn common_multiples(samples: &[Vec<Integer>]) -> Vec<(Linear, Integer)> {
    let Some(count) = samples.first().map(|sample| sample.len()) else { return Vec::new() };
    let mut rows = samples.to_vec();
    // The columns of the identity, which is changed as the columns of the samples are.
    let unit = |at| (0..count).map(move |other| if at == other { Integer::ONE } else { Integer::ZERO });
    let mut factors: Vec<Vec<Integer>> = (0..count).map(|at| unit(at).collect()).collect();
    let mut done = 0;
    while done < count {
        let cells = (done..rows.len()).flat_map(|row| (done..count).map(move |column| (row, column)));
        let Some((row, column)) = cells
            .filter(|&(row, column)| !rows[row][column].is_zero())
            .min_by_key(|&(row, column)| rows[row][column].abs())
        else {
            break;
        };
        rows.swap(done, row);
        rows.iter_mut().for_each(|row| row.swap(done, column));
        factors.swap(done, column);
        let pivot = rows[done][done].clone();
        let above = rows[done].clone();
        for row in &mut rows[done + 1..] {
            let times = row[done].div_floor(&pivot).unwrap_or(Integer::ZERO);
            subtract(row, &times, &above);
        }
        for column in done + 1..count {
            let times = rows[done][column].div_floor(&pivot).unwrap_or(Integer::ZERO);
            for row in &mut rows[done..] {
                row[column] = &row[column] - &(&times * &row[done]);
            }
            let left = factors[done].clone();
            subtract(&mut factors[column], &times, &left);
        }
        let is_alone = (done + 1..rows.len()).all(|row| rows[row][done].is_zero())
            && (done + 1..count).all(|column| rows[done][column].is_zero());
        done += usize::from(is_alone);
    }
    let of = |column: usize| if column < done { rows[column][column].abs() } else { Integer::ZERO };
    let found = factors.iter().enumerate().filter(|(column, _)| !of(*column).is_one()).map(|(column, factors)| {
        let reduced = factors.iter().map(|factor| nearest_to_zero(factor, &of(column)));
        let sum: Linear = reduced.zip(0..).filter(|(factor, _)| !factor.is_zero()).collect();
        (sum, of(column))
    });
    let is_small = |(factor, _): &(Integer, usize)| factor.abs() <= Integer::from(MOST_FACTOR);
    found.filter(|(sum, _)| !sum.is_empty() && sum.iter().all(is_small)).collect()
}

/// Subtracts a multiple of numbers from others.
fn subtract(from: &mut [Integer], times: &Integer, numbers: &[Integer]) {
    for (cell, number) in from.iter_mut().zip(numbers) {
        *cell = &*cell - &(times * number);
    }
}

/// The number nearest to zero that differs by a multiple of `of`.
pub fn nearest_to_zero(number: &Integer, of: &Integer) -> Integer {
    let Some((_, rest)) = number.div_mod_euclid(of) else { return number.clone() };
    let below = &rest - of;
    if below.abs() < rest { below } else { rest }
}

/// Which of the first `changing` variables are never negative, or never positive.
pub fn directions(samples: &[Vec<Integer>], changing: usize) -> Vec<Relation> {
    let direction = |variable: usize| {
        let always = |is: fn(i32) -> bool| samples.iter().all(|sample| is(sample[variable].signum()));
        if always(|sign| sign >= 0) {
            Some(Relation::NotNegative(variable))
        } else {
            always(|sign| sign <= 0).then_some(Relation::NotPositive(variable))
        }
    };
    (0..changing).filter_map(direction).collect()
}

/// Relations that all samples satisfy. Each sample has one number for each variable. The first `changing` variables change
/// within a run, and nothing is said about others alone. `factors` are those of which one may say how much more one variable
/// grows than another, in ascending order.
pub fn relations(samples: &[Vec<Integer>], changing: usize, factors: &[Integer]) -> Vec<Relation> {
    let Some(count) = samples.first().map(|sample| sample.len()) else { return Vec::new() };
    let mut found = directions(samples, changing);
    let pairs = (0..changing).flat_map(|variable| (changing..count).map(move |other| (variable, other)));
    for (variable, other) in pairs {
        if samples.iter().all(|sample| sample[variable] <= sample[other]) {
            found.push(Relation::AtMost(variable, other));
        }
    }
    let grows = |variable: usize| {
        let mut numbers = samples.iter().map(|sample| sample[variable].signum());
        numbers.clone().all(|sign| sign >= 0) && numbers.any(|sign| sign > 0)
    };
    let growing: Vec<usize> = (0..changing).filter(|&variable| grows(variable)).collect();
    let pairs =
        growing.iter().enumerate().flat_map(|(at, &one)| growing[at + 1..].iter().map(move |&two| vec![one, two]));
    let pairs: Vec<Vec<usize>> = if growing.len() <= MOST_SUMMED { pairs.collect() } else { Vec::new() };
    for sum in growing.iter().map(|&one| vec![one]).chain(pairs) {
        let total = |sample: &[Integer]| sum.iter().fold(Integer::ZERO, |total, &variable| &total + &sample[variable]);
        let is_limit = |&limit: &usize| {
            samples.iter().all(|sample| total(sample) <= sample[limit])
                && (sum.len() == 1
                    || samples.iter().any(|sample| total(sample) == sample[limit] && !sample[limit].is_zero()))
        };
        let limits = (changing..count).filter(is_limit);
        found.extend(limits.map(|limit| Relation::Within(sum.clone(), limit)));
    }
    let orders = orders(samples, changing, factors);
    // The limit of a variable is one of those that are at most it.
    let is_below = |one: usize, limit: usize| {
        let greater = |other: usize| {
            found.contains(&Relation::AtMost(other, limit)) && samples.iter().any(|sample| sample[one] < sample[other])
        };
        (0..changing)
            .any(|other| other != one && orders.contains(&at_most(one, &Integer::ONE, other)) && greater(other))
    };
    let implied = |relation: &Relation| match relation {
        Relation::AtMost(one, limit) => is_below(*one, *limit),
        Relation::Within(sum, limit) => matches!(sum[..], [one] if is_below(one, *limit)),
        _ => false,
    };
    let is_implied: Vec<bool> = found.iter().map(implied).collect();
    let mut is_implied = is_implied.into_iter();
    found.retain(|_| is_implied.next() != Some(true));
    found.extend(orders);
    for variable in 0..changing {
        let of = divisors(samples.iter().map(|sample| &sample[variable]));
        found.extend(of.into_iter().map(|of| Relation::Multiple(variable, of)));
    }
    found.extend(equations(samples).into_iter().map(Relation::Vanishes));
    found.retain(|relation| relation.variables().iter().any(|&variable| variable < changing));
    found
}

/// Which of the variables that change are at most others, or small multiples of others.
fn orders(samples: &[Vec<Integer>], changing: usize, factors: &[Integer]) -> Vec<Relation> {
    let mut found = Vec::new();
    if changing > MOST_ORDERED {
        return found;
    }
    let pairs = (0..changing).flat_map(|one| (0..changing).map(move |other| (one, other)));
    for (one, other) in pairs.filter(|(one, other)| one != other) {
        // Whatever is not positive is at most what is not negative.
        let is_plain = |sample: &Vec<Integer>| sample[one].signum() <= 0 && sample[other].signum() >= 0;
        if samples.iter().all(is_plain) {
            continue;
        }
        let fits = |factor: &Integer| samples.iter().all(|sample| sample[one] <= factor * &sample[other]);
        if fits(&Integer::ONE) {
            found.push(at_most(one, &Integer::ONE, other));
        } else {
            let fitting = factors.iter().filter(|factor| fits(factor)).take(MOST_TRIED);
            found.extend(fitting.map(|factor| at_most(one, factor, other)));
        }
    }
    found
}

/// That a variable is at most so many times another one.
fn at_most(one: usize, factor: &Integer, other: usize) -> Relation {
    Relation::Limited(vec![(Integer::ONE, one), (-factor, other)], Integer::ZERO)
}

/// The least of these limits, in ascending order, that a variable keeps in all samples.
pub fn limits(samples: &[Vec<Integer>], variable: usize, limits: &[Integer]) -> Vec<Relation> {
    let most = samples.iter().map(|sample| &sample[variable]).max();
    let least = samples.iter().map(|sample| &sample[variable]).min();
    let (Some(most), Some(least)) = (most, least) else { return Vec::new() };
    // What is never positive, or never negative, has its limit at zero.
    let above = limits.iter().filter(|limit| *most <= **limit && most.signum() > 0).take(MOST_TRIED);
    let below = limits.iter().rev().filter(|limit| **limit <= *least && least.signum() < 0).take(MOST_TRIED);
    let above = above.map(|limit| Relation::Limited(vec![(Integer::ONE, variable)], limit.clone()));
    above.chain(below.map(|limit| Relation::Limited(vec![(-&Integer::ONE, variable)], -limit))).collect()
}

/// The greatest common divisor of numbers, and the greatest power of two in it, which is one of machine integers, too. None of
/// few numbers, which have accidents in common.
fn divisors<'n>(numbers: impl Iterator<Item = &'n Integer>) -> Vec<Integer> {
    let different: FxHashSet<&Integer> = numbers.filter(|number| !number.is_zero()).collect();
    let common = different.iter().fold(Integer::ZERO, |common, number| common.gcd(number));
    let Some(of) = common.as_i64().filter(|of| (2..=MOST_COEFFICIENT).contains(of)) else { return Vec::new() };
    if different.len() < EXCESS {
        return Vec::new();
    }
    let mut found = vec![of, 1 << of.trailing_zeros()];
    found.dedup();
    found.into_iter().filter(|&of| of > 1).map(Integer::from).collect()
}

/// Independent equations of degree up to three that all samples satisfy.
///
/// Linear equations come first. Of the variables that they determine, nothing else is said.
fn equations(samples: &[Vec<Integer>]) -> Vec<Polynomial> {
    let mut seen = FxHashSet::default();
    let samples: Vec<&Vec<Integer>> = samples.iter().filter(|sample| seen.insert(*sample)).take(MOST_SAMPLES).collect();
    let Some(count) = samples.first().map(|sample| sample.len()) else { return Vec::new() };
    let variables: Vec<usize> = (0..count).collect();
    let linear = vanishing(&samples, &monomials(&variables, 1));
    let determined: Vec<usize> = linear.iter().filter_map(|equation| equation.last()?.1.first().copied()).collect();
    let free: Vec<usize> = variables.into_iter().filter(|variable| !determined.contains(variable)).collect();
    let degree = MOST_VARIABLES.iter().position(|&most| free.len() <= most).map_or(1, |at| MOST_VARIABLES.len() - at);
    let mut found = linear;
    if degree > 1 {
        found.extend(vanishing(&samples, &monomials(&free, degree)));
    }
    let is_small = |(coefficient, _): &(Integer, Vec<usize>)| coefficient.abs() <= Integer::from(MOST_COEFFICIENT);
    found.retain(|equation| equation.iter().all(is_small));
    // A multiple of another equation says nothing new.
    let mut last: Vec<Vec<usize>> = Vec::new();
    found.retain(|equation| {
        let Some((_, product)) = equation.last() else { return false };
        let is_new = !last.iter().any(|shorter| divides(shorter, product));
        last.push(product.clone());
        is_new
    });
    found
}

/// The products of at most `degree` of these variables, those of few variables first.
fn monomials(variables: &[usize], degree: usize) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    let mut last: Vec<Vec<usize>> = all.clone();
    for _ in 0..degree {
        let longer = |product: &Vec<usize>| {
            let least = product.last().copied().unwrap_or(0);
            let next = variables.iter().filter(move |&&variable| variable >= least);
            next.map(|&variable| [&product[..], &[variable]].concat()).collect::<Vec<_>>()
        };
        last = last.iter().flat_map(longer).collect();
        all.extend(last.iter().cloned());
    }
    all
}

/// The sums of multiples of monomials that are zero in all samples, as a basis. Each has a last monomial that no other has.
fn vanishing(samples: &[&Vec<Integer>], monomials: &[Vec<usize>]) -> Vec<Polynomial> {
    if samples.len() < monomials.len() + EXCESS {
        return Vec::new();
    }
    let value = |sample: &[Integer], product: &[usize]| {
        product.iter().fold(Integer::ONE, |value, &variable| &value * &sample[variable])
    };
    let mut rows: Vec<Vec<Integer>> =
        samples.iter().map(|sample| monomials.iter().map(|product| value(sample, product)).collect()).collect();
    // Gauss's and Jordan's elimination without fractions.
    let mut pivots: Vec<usize> = Vec::new();
    for column in 0..monomials.len() {
        let at = pivots.len();
        let Some(found) = (at..rows.len()).find(|&row| !rows[row][column].is_zero()) else { continue };
        rows.swap(at, found);
        let pivot = rows[at].clone();
        for (number, row) in rows.iter_mut().enumerate() {
            if number != at && !row[column].is_zero() {
                let (own, other) = (pivot[column].clone(), row[column].clone());
                for (cell, above) in row.iter_mut().zip(&pivot) {
                    *cell = &(&*cell * &own) - &(above * &other);
                }
                shorten(row);
            }
        }
        pivots.push(column);
    }
    let free = (0..monomials.len()).filter(|column| !pivots.contains(column));
    let equation = |column: usize| {
        let leading = pivots.iter().enumerate().filter(|(_, pivot)| **pivot < column);
        let mut multiple = Integer::ONE;
        for (row, &pivot) in leading.clone() {
            let own = rows[row][pivot].abs();
            multiple = (&multiple * &own).div_floor(&multiple.gcd(&own))?;
        }
        let mut terms = vec![Integer::ZERO; monomials.len()];
        for (row, &pivot) in leading {
            let scaled = &multiple * &rows[row][column];
            terms[pivot] = -&scaled.div_floor(&rows[row][pivot])?;
        }
        terms[column] = multiple;
        shorten(&mut terms);
        let terms = terms.into_iter().zip(monomials).filter(|(coefficient, _)| !coefficient.is_zero());
        Some(terms.map(|(coefficient, product)| (coefficient, product.clone())).collect())
    };
    free.filter_map(equation).collect()
}

/// Whether a product is part of another. Both are sorted.
fn divides(one: &[usize], other: &[usize]) -> bool {
    let mut rest = other.iter();
    one.iter().all(|variable| rest.any(|other| other == variable))
}

/// Divides numbers by what all have in common.
fn shorten(numbers: &mut [Integer]) {
    let common = numbers.iter().fold(Integer::ZERO, |common, number| common.gcd(number));
    if !common.is_zero() && !common.is_one() {
        for number in numbers {
            *number = number.div_floor(&common).unwrap_or_else(|| number.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aback_logic::Sort;

    /// The relations of one kind between `a`, `b` and `c` that hold for the numbers of twenty iterations. The last `fixed` ones
    /// do not change within a run.
    #[track_caller]
    fn check<const N: usize>(
        is_wanted: fn(&Relation) -> bool,
        fixed: usize,
        numbers: impl Fn(i64) -> [i64; N],
        expected: &[&str],
    ) {
        let samples: Vec<Vec<Integer>> =
            (0..20).map(|at| numbers(at).iter().map(|&number| Integer::from(number)).collect()).collect();
        let mut pool = Pool::new();
        let variables: Vec<Term> = ["a", "b", "c"][..N].iter().map(|name| pool.fresh_var(name, Sort::Int)).collect();
        let found = relations(&samples, N - fixed, &[Integer::from(7)]);
        let shown = found.iter().filter(|relation| is_wanted(relation)).map(|relation| {
            let term = relation.between(&mut pool, &variables);
            pool.show(term)
        });
        assert_eq!(shown.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn equations_of_samples() {
        #[track_caller]
        fn equations<const N: usize>(numbers: impl Fn(i64) -> [i64; N], expected: &[&str]) {
            check(|relation| matches!(relation, Relation::Vanishes(_)), 0, numbers, expected);
        }
        // Sums of numbers, of their squares, and of products.
        equations(|at| [at, at * (at - 1) / 2], &["a + 2*b == (a*a)"]);
        equations(|at| [at, at * (at - 1) / 2, 2 * at], &["2*a == c", "a + 2*b == (a*a)"]);
        equations(|at| [at, (at - 1) * at * (2 * at - 1) / 6], &["a + 2*(a*a*a) == 6*b + 3*(a*a)"]);
        // What a linear equation determines is not asked for again.
        equations(|at| [at, 3 * at - 7, at * at], &["3*a == b + 7", "c == (a*a)"]);
        // Powers have none, and coefficients that look like accidents are none.
        equations(|at| [at, 1 << at], &[]);
        equations(|at| [at, 1_009 * at], &[]);
        equations(|_| [5, 6], &[]);
    }

    #[test]
    fn orders_of_samples() {
        let is_order = |relation: &Relation| {
            !matches!(
                relation,
                Relation::Vanishes(_) | Relation::Multiple(..) | Relation::Within(..) | Relation::Limited(..)
            )
        };
        check(is_order, 0, |at| [at, -at, at - 3], &["0 <= a", "b <= 0"]);
        // Nothing is said about what does not change alone.
        check(is_order, 1, |at| [at % 5, 4 + at / 5], &["0 <= a", "a <= b"]);
        check(is_order, 1, |at| [at, 4], &["0 <= a"]);
        check(is_order, 1, |at| [-(at % 5), 4 + at / 5], &["a <= 0", "a <= b"]);
        // A limit of two together.
        let is_within = |relation: &Relation| matches!(relation, Relation::Within(..));
        let expected = ["(a <= c) || (a <= 0)", "(a + b <= c) || (a + b <= 0)"];
        check(is_within, 1, |at| [at - at / 3, at / 3, 19], &expected);
    }

    #[test]
    fn limits_of_samples() {
        let is_limit = |relation: &Relation| matches!(relation, Relation::Limited(..));
        check(is_limit, 0, |at| [at % 3, at % 3 + at / 3], &["a <= b"]);
        check(is_limit, 0, |at| [5 * at, at, 20 * at], &["a <= 7*b", "a <= c", "b <= a", "b <= c", "c <= 7*a"]);
        let samples: Vec<Vec<Integer>> = (-3..9).map(|number| vec![Integer::from(number)]).collect();
        let (mut pool, bounds) = (Pool::new(), [-9, -4, -3, 5, 8, 60].map(Integer::from));
        let number = pool.fresh_var("a", Sort::Int);
        let shown = limits(&samples, 0, &bounds).into_iter().map(|relation| {
            let term = relation.between(&mut pool, &[number]);
            pool.show(term)
        });
        assert_eq!(shown.collect::<Vec<_>>(), ["a <= 8", "a <= 60", "0 <= a + 3", "0 <= a + 4"]);
    }

    #[test]
    fn common_multiples_of_sums() {
        #[track_caller]
        fn check(samples: &[&[i64]], expected: &[(&[i64], i64)]) {
            let number = |number: &i64| Integer::from(*number);
            let samples: Vec<Vec<Integer>> = samples.iter().map(|sample| sample.iter().map(number).collect()).collect();
            let found = common_multiples(&samples).into_iter().map(|(sum, of)| {
                let mut factors = vec![0; samples[0].len()];
                sum.iter().for_each(|(factor, at)| factors[*at] = factor.as_i64().unwrap());
                (factors, of.as_i64().unwrap())
            });
            let expected: Vec<(Vec<i64>, i64)> = expected.iter().map(|(sum, of)| (sum.to_vec(), *of)).collect();
            assert_eq!(found.collect::<Vec<_>>(), expected);
        }
        // A switch and what counts how often it is used.
        check(&[&[1, 1], &[-1, 1]], &[(&[1, 1], 2)]);
        // A ring of eight places: its end, its start and its length.
        check(&[&[1, 0, 1], &[-7, 0, 1], &[0, 1, -1], &[0, -7, -1]], &[(&[-1, 1, 1], 8)]);
        // Minutes, hours, and all minutes.
        check(&[&[1, 0, 1], &[-59, 1, 1]], &[(&[-1, -60, 1], 0)]);
        check(&[&[1, 0], &[0, 1]], &[]);
        check(&[&[0, 0]], &[(&[1, 0], 0), (&[0, 1], 0)]);
    }

    #[test]
    fn multiples_in_samples() {
        let is_multiple = |relation: &Relation| matches!(relation, Relation::Multiple(..));
        check(
            is_multiple,
            0,
            |at| [12 * at * at, 3 * at, at],
            &["(a mod 12) == 0", "(a mod 4) == 0", "(b mod 3) == 0"],
        );
        // Two numbers, and a number that is too large, are accidents.
        check(is_multiple, 0, |at| [at % 3 * 7, 1_001 * at], &[]);
    }
}
