//! What does a class of a text declare, in a program that exists already? Its code is read method by method, when it is
//! asked for.

use super::lex::{At, Token};
use super::parse::{CodeText, MethodHead, ParseError, Parsed, Parser, tokens_of};
use crate::body::Body;
use crate::program::{Access, ClassId, Field, FieldId, Method, MethodId, MethodKind, Program, Type};
use crate::span::{FileId, Span};

/// What a text may refer to beside what it declares.
///
/// In such texts `s := string "text"` and `c := class type` read what the surroundings make, `initialize C` initializes
/// a class, and so do, before anything else, reads and writes of its static fields and `new C`.
pub trait Surroundings {
    /// The class of this name, which need not be loaded.
    fn class(&self, name: &str) -> ClassId;
    /// The static field that holds a string, and the method that sets it.
    fn string(&self, text: &str) -> (FieldId, MethodId);
    /// The static field that holds the object that stands for a type (`None`: for `void`), and the method that sets it.
    fn class_object(&self, ty: Option<Type>) -> (FieldId, MethodId);
    /// The static field that says whether a class is initialized, and the method that does it.
    fn initialization(&self, class: ClassId) -> Option<(FieldId, MethodId)>;
}

/// The text of one class, split into tokens.
pub struct ClassText<'t> {
    tokens: Vec<(At, Token<'t>)>,
}

/// A member that a text declares.
pub enum MemberText<'t> {
    /// A field.
    Field(Field),
    /// A method, with what [`ClassText::body`] wants to know.
    Method(Method, MethodText<'t>),
}

/// The code of a method; none if it is abstract.
pub struct MethodText<'t>(Option<CodeText<'t>>);

impl<'t> ClassText<'t> {
    /// Splits a text, which is one class: `class name (extends name)? (implements name,*)? { … }`, perhaps with `abstract`
    /// before it.
    ///
    /// # Errors
    /// Characters that are no token.
    pub fn new(text: &'t str) -> Result<Self, ParseError> {
        Ok(ClassText { tokens: tokens_of(text)? })
    }

    /// Reads all but the code: fills in what the head says, and gives the members.
    ///
    /// # Errors
    /// What is wrong with the text.
    pub fn declarations(
        &self,
        program: &Program,
        surroundings: &dyn Surroundings,
        class: ClassId,
    ) -> Result<(ClassHead, Vec<MemberText<'t>>), ParseError> {
        let mut parser = Parser::new(&self.tokens, program, Some(surroundings));
        parser.skip_line_ends();
        let is_abstract = parser.eat_word("abstract");
        let is_interface = parser.eat_word("interface");
        if !is_interface {
            parser.eat_word("class");
        }
        parser.path("the name of the class")?;
        let mut head = ClassHead { is_abstract, is_interface, superclass: None, interfaces: Vec::new() };
        if parser.eat_word("extends") {
            head.superclass = Some(parser.class()?);
        }
        if parser.eat_word("implements") {
            head.interfaces.push(parser.class()?);
            while parser.eat(",") {
                head.interfaces.push(parser.class()?);
            }
        }
        parser.expect("{")?;
        let mut members = Vec::new();
        loop {
            parser.skip_line_ends();
            if parser.eat("}") {
                return Ok((head, members));
            }
            members.push(member(&mut parser, class)?);
        }
    }

    /// The code of a method that [`ClassText::declarations`] gave; `None` if it is abstract.
    ///
    /// # Errors
    /// What is wrong with the text.
    pub fn body(
        &self,
        program: &Program,
        surroundings: &dyn Surroundings,
        method: &Method,
        text: &MethodText<'t>,
    ) -> Result<Option<Body>, ParseError> {
        let Some(code) = &text.0 else { return Ok(None) };
        let mut parser = Parser::new(&self.tokens, program, Some(surroundings));
        Ok(Some(parser.body(code, &method.params)?.0))
    }
}

/// What the head of a class says.
pub struct ClassHead {
    /// Whether it has no objects of its own.
    pub is_abstract: bool,
    /// Whether it is an interface.
    pub is_interface: bool,
    /// Its superclass.
    pub superclass: Option<ClassId>,
    /// The interfaces that it implements.
    pub interfaces: Vec<ClassId>,
}

fn member<'t>(parser: &mut Parser<'_, 't, &Program>, class: ClassId) -> Parsed<MemberText<'t>> {
    let access = parser.access();
    let is_static = parser.eat_word("static");
    if access == Access::Public && parser.eat_word("field") {
        let name = parser.name("the name of the field")?;
        parser.expect(":")?;
        let ty = parser.ty()?;
        parser.line_end()?;
        return Ok(MemberText::Field(Field { name, class, ty, is_static, span: Span::NONE }));
    }
    let kind = if parser.eat_word("method") {
        if is_static { MethodKind::Static } else { MethodKind::Instance }
    } else if !is_static && parser.eat_word("constructor") {
        MethodKind::Constructor
    } else {
        return parser.expected("`field`, `method`, `constructor` or `}`");
    };
    let MethodHead { name, params, result, span, code } = parser.method_head(FileId(0))?;
    let method = Method { name, class, kind, params, result, access, is_abstract: code.is_none(), span };
    Ok(MemberText::Method(method, MethodText(code)))
}
