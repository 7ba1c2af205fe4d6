//! Describes files, classes, methods and fields in the tables of an execution.

use super::activations::Variables;
use super::{ClassShape, FieldShape, Recorder, SourceText, StaticShape};
use crate::model::collection::shape_of;
use crate::model::file::sha256;
use aback_ir::{ClassId, FieldId, FileId, Intrinsic, MethodId, Op, OpKind, Program, Span};
use rustc_hash::FxHashMap;

/// Facts about a method that each of its operations needs.
#[derive(Clone, Copy)]
pub(super) struct MethodFacts {
    /// Whether its class is the user's own.
    pub(super) own: bool,
    /// A line that the user did not write: Java's compiler adds it to the initializer of a class with assertions.
    pub(super) added_line: Option<u32>,
    /// Whether it asks the environment.
    pub(super) asks: bool,
    /// Whether it writes static fields, and is the user's or writes those of the user, as code does that a front end makes for references.
    pub(super) sets_statics: bool,
}

/// Row numbers in the execution's tables.
#[derive(Default)]
pub(super) struct Tables {
    pub(super) facts: Vec<Option<MethodFacts>>,
    pub(super) files: FxHashMap<FileId, u32>,
    pub(super) methods: FxHashMap<MethodId, (u32, Variables)>,
    pub(super) classes: FxHashMap<ClassId, u32>,
    /// By exact class and field; `None` for hidden fields.
    pub(super) fields: FxHashMap<(ClassId, FieldId), Option<u32>>,
    pub(super) statics: FxHashMap<FieldId, u32>,
}

impl Recorder {
    pub(super) fn facts(&mut self, program: &Program, method: MethodId) -> MethodFacts {
        let known = &mut self.tables.facts;
        if known.len() <= method.index() {
            known.resize(method.index() + 1, None);
        }
        *known[method.index()].get_or_insert_with(|| {
            let declared = program.method(method);
            let added_line = program.added_line(method);
            let asks = |op: &Op| {
                matches!(op.kind, OpKind::Intrinsic { intrinsic: Intrinsic::Nondet(_) | Intrinsic::NondetArray(_), .. })
            };
            let is_own = |class: ClassId| !program.class(class).is_library;
            let own = is_own(declared.class);
            let sets_statics =
                |op: &Op| matches!(op.kind, OpKind::PutStatic { field, .. } if own || is_own(program.field(field).class));
            let any = |is_it: &dyn Fn(&Op) -> bool| {
                program.body(method).is_some_and(|body| body.blocks.iter().flat_map(|b| &b.ops).any(is_it))
            };
            MethodFacts { own, added_line, asks: any(&asks), sets_statics: any(&sets_statics) }
        })
    }

    pub(super) fn class_row(&mut self, program: &Program, class: ClassId) -> u32 {
        if let Some(&row) = self.tables.classes.get(&class) {
            return row;
        }
        let mut fields = Vec::new();
        for field in program.instance_fields(class) {
            let row = (!is_hidden(program, field)).then_some(fields.len() as u32);
            self.tables.fields.insert((class, field), row);
            if row.is_some() {
                let declared = program.field(field);
                fields.push(FieldShape {
                    name: declared.name.clone(),
                    class: program.class_name(declared.class).to_owned(),
                    ty: program.show_type(declared.ty),
                });
            }
        }
        let declared = program.class(class);
        let profile = program.profile();
        let look = profile.runtime.look(program, class);
        let collection = look.as_ref().and_then(|look| shape_of(program, &look.contents));
        if let Some(look) = &look {
            self.objects.learn(&look.contents);
        }
        let name = look.map_or_else(|| program.class_name(class).to_owned(), |look| look.name);
        let names_constant = |field: &FieldShape| {
            profile
                .constant_name
                .is_some_and(|(class, name)| field.name == name && field.class == program.class_name(class))
        };
        let constant = fields.iter().position(names_constant);
        let is_box = profile.boxes.contains(&class);
        let library = declared.is_library;
        self.execution.classes.push(ClassShape { name, library, constant, is_box, collection, fields });
        let row = self.execution.classes.len() as u32 - 1;
        self.tables.classes.insert(class, row);
        row
    }

    pub(super) fn static_row(&mut self, program: &Program, field: FieldId) -> Option<u32> {
        // Compilers give such names to what they add: `$VALUES` in enums of Java, and `<>9__2_0` for functions of C#.
        if ["$", "<>"].iter().any(|made| program.field(field).name.starts_with(made)) {
            return None;
        }
        let statics = &mut self.execution.statics;
        Some(*self.tables.statics.entry(field).or_insert_with(|| {
            let declared = program.field(field);
            let class = program.class_name(declared.class).to_owned();
            let name = format!("{class}.{}", declared.name);
            statics.push(StaticShape { name, class: Some(class), ty: program.show_type(declared.ty) });
            statics.len() as u32 - 1
        }))
    }

    pub(super) fn file(&mut self, program: &Program, file: FileId) -> u32 {
        let files = &mut self.execution.files;
        *self.tables.files.entry(file).or_insert_with(|| {
            let source = program.file(file);
            let text = source.and_then(|source| source.text.clone());
            files.push(SourceText {
                path: source.map(|source| source.path.display().to_string()).unwrap_or_default(),
                sha256: text.as_deref().map(sha256),
                text,
            });
            files.len() as u32 - 1
        })
    }
}

/// Whether users cannot know a field: a front end added it, or it means something to the platform only.
pub(super) fn is_hidden(program: &Program, field: FieldId) -> bool {
    let declared = program.field(field);
    declared.name.starts_with('$') && declared.span == Span::NONE
        || program.profile().runtime.is_internal(program, field)
}
