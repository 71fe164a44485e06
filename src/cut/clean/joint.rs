//! Features whose edges cross are cleaned together with all that share those edges.

use super::alone::outline;
use super::edges::{Edge, Square, edges, merge};
use super::labels::{Label, Labels, OUTSIDE};
use super::noding::{Part, node};
use super::sweep::{Planar, sweep};
use crate::cut::clip::Piece;
use crate::grid::{Kind, Parts, Point};
use rayon::prelude::*;

/// Rounds of growing after which a group takes in all that hangs together.
const FAR: usize = 4;

/// An edge and the feature that uses it.
type Use = (Point, Point, u32);

/// Cleans the features that could not be cleaned by themselves (those without a result yet), and
/// anew those that share an edge which has to bend.
pub(super) fn resolve(features: &[Vec<Piece>], results: &mut [Option<Parts<Point>>], square: Square) {
    let all: Vec<Vec<Edge>> = features.par_iter().map(|pieces| edges(pieces, square)).collect();
    let mut uses: Vec<Use> = Vec::with_capacity(all.iter().map(Vec::len).sum());
    for (feature, edges) in all.iter().enumerate() {
        uses.extend(edges.iter().map(|edge| (edge.start, edge.end, feature as u32)));
    }
    uses.par_sort_unstable();
    uses.dedup();
    let mut groups = Groups::new(features.len());
    groups.join_conflicts(&uses, |feature| results[feature as usize].is_none());
    let mut pending = groups.all(|feature| results[feature as usize].is_none());
    // Whoever shares an edge that moved joins its group; then the group starts again.
    for round in 0.. {
        if pending.is_empty() {
            break;
        }
        if round == FAR {
            groups.join_conflicts(&uses, |_| true);
            let reached: Vec<u32> = pending.iter().map(|group| group[0]).collect();
            pending = groups.of(&reached);
        }
        let solved: Vec<(Vec<u32>, Solved)> = pending
            .into_par_iter()
            .map(|group| {
                let solved = solve(&group, &all, &uses);
                (group, solved)
            })
            .collect();
        let mut grown = Vec::new();
        for (group, solved) in solved {
            match solved {
                Solved::Done(parts) => {
                    group.iter().zip(parts).for_each(|(&feature, parts)| results[feature as usize] = Some(parts));
                }
                Solved::Spreads(others) => {
                    for other in others {
                        groups.join(group[0], other);
                    }
                    grown.push(group[0]);
                }
                Solved::Hopeless => {
                    for &feature in &group {
                        results[feature as usize] = Some(super::overlay::clean(&features[feature as usize]));
                    }
                }
            }
        }
        pending = groups.of(&grown);
    }
}

enum Solved {
    Done(Vec<Parts<Point>>),
    /// These features share edges that have moved.
    Spreads(Vec<u32>),
    /// Nothing but a scribble.
    Hopeless,
}

/// Nodes the edges of a group, sorted by feature, and gives each face to its owners.
fn solve(group: &[u32], all: &[Vec<Edge>], uses: &[Use]) -> Solved {
    // Polygons are numbered through the whole group.
    let mut own: Vec<Edge> = Vec::new();
    let mut features: Vec<u32> = Vec::new();
    for (place, &feature) in group.iter().enumerate() {
        let first = features.len() as u32;
        let edges = &all[feature as usize];
        let polygons = edges.iter().map(|e| e.polygon + 1).max().unwrap_or(0);
        features.extend((0..polygons).map(|_| place as u32));
        own.extend(edges.iter().map(|&edge| Edge { polygon: edge.polygon + first, ..edge }));
    }
    own.sort_unstable();
    let runs: Vec<&[Edge]> = own.chunk_by(|a, b| (a.start, a.end) == (b.start, b.end)).collect();
    let lines: Vec<(Point, Point)> = runs.iter().map(|run| (run[0].start, run[0].end)).collect();
    let Some(noded) = node(&lines) else { return Solved::Hopeless };
    let outsiders = |lines: &mut dyn Iterator<Item = (Point, Point)>| {
        let mut found: Vec<u32> =
            lines.flat_map(|line| users(uses, line)).filter(|f| group.binary_search(f).is_err()).collect();
        found.sort_unstable();
        found.dedup();
        found
    };
    let moved = outsiders(&mut lines.iter().zip(&noded.moved).filter(|(_, moved)| **moved).map(|(&line, _)| line));
    if !moved.is_empty() {
        return Solved::Spreads(moved);
    }
    let mut edges = rebuild(&noded.parts, &runs);
    merge(&mut edges);
    let mut labels = Labels::new(&features);
    let Some((runs, planar)) = label(&edges, &mut labels) else { return Solved::Hopeless };
    let inverted = |side: &(Label, Label)| labels.inverted(side.0) || labels.inverted(side.1);
    if planar.sides.iter().any(inverted) {
        let mut beside: Vec<(Point, Point)> = runs
            .iter()
            .zip(&planar.sides)
            .filter(|(_, side)| inverted(side))
            .map(|(run, _)| (run[0].start, run[0].end))
            .collect();
        beside.sort_unstable();
        let touches = |part: &&Part| beside.binary_search(&(part.from.min(part.to), part.from.max(part.to))).is_ok();
        let others = outsiders(&mut noded.parts.iter().filter(touches).map(|part| lines[part.edge as usize]));
        if !others.is_empty() {
            return Solved::Spreads(others);
        }
    }
    Solved::Done(divide(group.len(), &runs, &planar, &labels))
}

/// The features that use an edge.
fn users(uses: &[Use], (start, end): (Point, Point)) -> impl Iterator<Item = u32> {
    let first = uses.partition_point(|u| (u.0, u.1) < (start, end));
    uses[first..].iter().take_while(move |u| (u.0, u.1) == (start, end)).map(|u| u.2)
}

/// The edges again, split into their parts.
fn rebuild(parts: &[Part], runs: &[&[Edge]]) -> Vec<Edge> {
    let mut edges = Vec::with_capacity(parts.len() * 2);
    for part in parts {
        let (start, end, way) = if part.from < part.to { (part.from, part.to, 1) } else { (part.to, part.from, -1) };
        edges.extend(runs[part.edge as usize].iter().map(|edge| Edge {
            start,
            end,
            exterior: edge.exterior * way,
            hole: edge.hole * way,
            ..*edge
        }));
    }
    edges.sort_unstable();
    edges
}

/// The different edges, each with its users, and what lies beside them.
type Labelled<'a> = (Vec<&'a [Edge]>, Planar<Label>);

fn label<'a>(edges: &'a [Edge], labels: &mut Labels) -> Option<Labelled<'a>> {
    let runs: Vec<&[Edge]> = edges.chunk_by(|a, b| (a.start, a.end) == (b.start, b.end)).collect();
    let lines: Vec<(Point, Point)> = runs.iter().map(|run| (run[0].start, run[0].end)).collect();
    let planar = sweep(&lines, OUTSIDE, |below, edge| Some(labels.step(below, runs[edge]))).ok()?;
    for (&line, &(below, above)) in lines.iter().zip(&planar.sides) {
        labels.measure(line, below, above);
    }
    Some((runs, planar))
}

/// Builds every feature from the faces that it keeps.
fn divide(features: usize, runs: &[&[Edge]], planar: &Planar<Label>, labels: &Labels) -> Vec<Parts<Point>> {
    let mut owners: hashbrown::HashMap<Label, Vec<u32>> = hashbrown::HashMap::new();
    let mut borders: Vec<Vec<(Point, Point, i32)>> = vec![Vec::new(); features];
    for (run, &(below, above)) in runs.iter().zip(&planar.sides) {
        for side in [below, above] {
            owners.entry(side).or_insert_with(|| labels.owners(side));
        }
        let (below, above) = (&owners[&below], &owners[&above]);
        let (start, end) = (run[0].start, run[0].end);
        for feature in above.iter().filter(|f| !below.contains(f)) {
            borders[*feature as usize].push((start, end, 1));
        }
        for feature in below.iter().filter(|f| !above.contains(f)) {
            borders[*feature as usize].push((start, end, -1));
        }
    }
    borders.iter().map(|border| outline(border).unwrap_or_else(|| Parts::new(Kind::Polygon))).collect()
}

/// Sets of features that are cleaned together.
struct Groups(Vec<u32>);

impl Groups {
    fn new(features: usize) -> Self {
        Self((0..features as u32).collect())
    }

    fn root(&mut self, mut feature: u32) -> u32 {
        while self.0[feature as usize] != feature {
            self.0[feature as usize] = self.0[self.0[feature as usize] as usize];
            feature = self.0[feature as usize];
        }
        feature
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        self.0[a.max(b) as usize] = a.min(b);
    }

    /// Joins features with conflicts that share an edge.
    fn join_conflicts(&mut self, uses: &[Use], conflict: impl Fn(u32) -> bool) {
        for run in uses.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            let mut members = run.iter().map(|u| u.2).filter(|&f| conflict(f));
            if let Some(first) = members.next() {
                members.for_each(|other| self.join(first, other));
            }
        }
    }

    /// All groups that have a member of this kind, members sorted.
    fn all(&mut self, wanted: impl Fn(u32) -> bool) -> Vec<Vec<u32>> {
        let members: Vec<u32> = (0..self.0.len() as u32).filter(|&f| wanted(f)).collect();
        self.of(&members)
    }

    /// The groups of some features, each once, with all their members in order.
    fn of(&mut self, some: &[u32]) -> Vec<Vec<u32>> {
        if some.is_empty() {
            return Vec::new();
        }
        let mut roots: Vec<u32> = some.iter().map(|&f| self.root(f)).collect();
        roots.sort_unstable();
        roots.dedup();
        let mut groups: Vec<Vec<u32>> = vec![Vec::new(); roots.len()];
        for feature in 0..self.0.len() as u32 {
            if let Ok(i) = roots.binary_search(&self.root(feature)) {
                groups[i].push(feature);
            }
        }
        groups
    }
}
