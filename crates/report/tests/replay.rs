//! Checks the presentations of a counterexample: text, screen, drawings and page.

use aback_core::{CheckConfig, LoadConfig, Session, check};
use aback_report::{
    Collections, Command, Graph, Screen, draw_screen, render_dot, render_html, render_state, render_steps, render_svg,
};
use aback_witness::{Cursor, Witness};
use insta::assert_snapshot;
use ratatui::Terminal;
use ratatui::backend::TestBackend;

/// The witness of an OOX program in a file called `Main.oox`.
fn found(text: &str) -> Witness {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("Main.oox");
    std::fs::write(&file, text).unwrap();
    let loaded = Session::open(std::slice::from_ref(&file), &LoadConfig::default()).unwrap();
    let answer = check(loaded.program(), &CheckConfig::default()).unwrap();
    let mut witness = loaded.witness(&answer, answer.violation.as_ref().expect("a violation"), None);
    witness.program.paths = vec!["Main.oox".into()];
    // The name of the folder changes from run to run.
    witness.execution.files[0].path = "Main.oox".into();
    witness.violation.place.file = "Main.oox".into();
    witness.sealed()
}

/// Inserts into a doubly linked list and then closes it to a ring.
const RING: &str = "\
class Node {
    int value;
    Node next;
    Node prev;
    Node(int value) { this.value := value; }
    Node append(int value) {
        Node n := new Node(value);
        n.prev := this;
        this.next := n;
        return n;
    }
}
class Main {
    static void main(int a) {
        Node first := new Node(a);
        Node last := first.append(2);
        last := last.append(3);
        int[] all := new int[20];
        all[17] := 4;
        last.next := first;
        first.prev := last;
        assert a != 1;
    }
}
";

fn text(witness: &Witness) -> String {
    let mut text = String::new();
    render_steps(witness, Collections::Elements, &mut text).unwrap();
    text
}

#[test]
fn steps_as_text() {
    assert_snapshot!(text(&found(RING)));
}

#[test]
fn a_counterexample_that_was_not_confirmed_says_so() {
    let mut witness = found(RING);
    witness.confirmed = false;
    witness.instead = Some("the program ends without a violation".into());
    let shown = text(&witness);
    assert!(
        shown.starts_with(
            "not confirmed: assert can be false\n  a concrete run on this input went otherwise: the program"
        )
    );
    assert!(render_html(&witness, Collections::Elements).contains("\"confirmed\":false"));
    witness.violation.step = None;
    witness.execution.steps.clear();
    assert!(text(&witness).ends_with("There are no steps: the run did not begin.\n"));
    assert!(render_html(&witness, Collections::Elements).contains("\"steps\":[]"));
    assert!(Screen::new(&witness, Collections::Elements).is_none());
}

/// A cursor at the violation.
fn at_violation(witness: &Witness) -> Cursor<'_> {
    let mut cursor = Cursor::new(&witness.execution).unwrap();
    cursor.go_to(witness.violation.step.unwrap() as usize);
    cursor
}

#[test]
fn the_state_at_a_step_as_text() {
    let witness = found(RING);
    let mut state = String::new();
    render_state(&at_violation(&witness), Collections::Elements, &mut state).unwrap();
    assert_snapshot!(state);
    let mut cursor = Cursor::new(&witness.execution).unwrap();
    cursor.go_to(7);
    let mut state = String::new();
    render_state(&cursor, Collections::Elements, &mut state).unwrap();
    assert_snapshot!(state);
}

#[test]
fn a_list_is_a_row_whatever_refers_back() {
    let witness = found(RING);
    let graph = Graph::new(&at_violation(&witness), Collections::Elements);
    let column = |name: &str| graph.nodes.iter().find(|node| node.name == name).unwrap().column;
    assert_eq!(["Node#1", "Node#2", "Node#3"].map(column), [0, 1, 2]);
    assert!(graph.edges.iter().filter(|edge| !edge.is_back).all(|edge| {
        let (from, to) = (&graph.nodes[edge.from], &graph.nodes[edge.to]);
        from.column < to.column
    }));
    let places = graph.places(|_| (10.0, 5.0), (2.0, 1.0));
    let row: Vec<f64> =
        graph.nodes.iter().zip(&places.nodes).filter(|(n, _)| n.name.starts_with("Node")).map(|(_, p)| p.1).collect();
    assert!(row.iter().all(|y| *y == row[0]), "{row:?}");
    for (a, at) in places.nodes.iter().enumerate() {
        for other in &places.nodes[a + 1..] {
            assert!((at.0 - other.0).abs() >= 10.0 || (at.1 - other.1).abs() >= 5.0, "{places:?}");
        }
    }
}

#[test]
fn drawings_of_the_heap() {
    let witness = found(RING);
    assert_snapshot!(render_dot(&at_violation(&witness), Collections::Elements));
    let svg = render_svg(&at_violation(&witness), Collections::Elements);
    assert!(svg.starts_with("<svg xmlns=") && svg.ends_with("</svg>\n"));
    // Three nodes, an array that is shown in part, and one arrow for each of six references.
    assert_eq!(svg.matches("class=\"box").count(), 4);
    assert_eq!(svg.matches("marker-end").count(), 6);
    assert!(svg.contains("17 = 4") && svg.contains(">first<"));
}

#[test]
fn a_page_of_a_thousand_steps_is_small() {
    let witness = found(
        "class Main {\n    static void main(int a) {\n        int[] b := new int[5];\n        int i := 0;\n        while (i < 400) {\n            b[i % 5] := i;\n            i := i + 1;\n        }\n        assert a != 1;\n    }\n}\n",
    );
    assert!(witness.execution.steps.len() > 1000);
    let page = render_html(&witness, Collections::Elements);
    assert!(page.len() < 2 << 20, "{}", page.len());
    assert!(
        !page.contains("http://")
            || page.matches("http://").count() == page.matches("http://www.w3.org/2000/svg").count()
    );
    assert!(!page.contains("src=") && !page.contains("@import"));
}

#[test]
fn text_of_a_program_cannot_break_out_of_the_page() {
    let witness = found(
        "class Main {\n    // </script><script>alert(1)</script> <!-- DATA TITLE\n    static void main(int a) {\n        assert a != 1;\n    }\n}\n",
    );
    let page = render_html(&witness, Collections::Elements);
    assert_eq!(page.matches("</script>").count(), 2);
    assert_eq!(page.matches("<!--").count(), 0);
    assert!(page.contains("<title>Main.main: counterexample</title>"));
}

/// The screen after some commands.
fn screen(witness: &Witness, size: (u16, u16), commands: &[Command]) -> String {
    let mut screen = Screen::new(witness, Collections::Elements).unwrap();
    for &command in commands {
        assert!(screen.apply(command));
    }
    let mut terminal = Terminal::new(TestBackend::new(size.0, size.1)).unwrap();
    terminal.draw(|frame| draw_screen(frame, &screen)).unwrap();
    terminal.backend().to_string()
}

#[test]
fn the_screen() {
    let witness = found(RING);
    assert_snapshot!(screen(&witness, (150, 40), &[Command::Failure]));
    assert_snapshot!(screen(&witness, (100, 30), &[Command::Over, Command::Into, Command::Into]));
    // The screen is drawn at any size.
    for size in [(1, 1), (10, 4), (40, 8)] {
        screen(&witness, size, &[Command::Failure, Command::MoveHeap(500, 500), Command::Scroll(90)]);
    }
}

#[test]
fn commands_move() {
    let witness = found(RING);
    let mut screen = Screen::new(&witness, Collections::Elements).unwrap();
    let last = screen.cursor().last();
    let mut check = |command, position: usize| {
        assert!(screen.apply(command));
        assert_eq!(screen.cursor().position(), position);
    };
    check(Command::Failure, witness.violation.step.unwrap() as usize);
    check(Command::BackInto, last - 1);
    check(Command::Start, 0);
    check(Command::BackOut, 0);
    check(Command::MoveHeap(-3, -3), 0);
    check(Command::Into, 1);
    check(Command::Out, 2);
    assert!(!screen.apply(Command::Quit));
}
