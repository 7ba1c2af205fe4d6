//! Reads the text of a class that is added to an existing program. The code of each method is read on demand.

use super::lex::{At, Token};
use super::parse::{CodeText, MethodHead, ParseError, Parsed, Parser, tokens_of};
use crate::body::Body;
use crate::program::{Access, ClassId, Field, FieldId, Method, MethodId, MethodKind, Program, Type};
use crate::span::{FileId, Span};

/// The entities that a text may refer to besides its own declarations.
///
/// In such texts, `s := string "text"` and `c := class type` read objects that the surroundings make, and `initialize
/// C` initializes a class. Reads and writes of static fields and `new C` also initialize the class first.
pub trait Surroundings {
    /// The class with this name. It need not be loaded.
    fn class(&self, name: &str) -> ClassId;
    /// The static field that holds a string, and the method that sets it.
    fn string(&self, text: &str) -> (FieldId, MethodId);
    /// The static field that holds the class object of a type (`None`: of `void`), and the method that sets the field.
    fn class_object(&self, ty: Option<Type>) -> (FieldId, MethodId);
    /// The static field that says whether a class is initialized, and the method that initializes the class. `None` if
    /// the class has no initializer.
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
    /// A method, with the text that [`ClassText::body`] needs.
    Method(Method, MethodText<'t>),
}

/// The code of a method; `None` if it is abstract.
pub struct MethodText<'t>(Option<CodeText<'t>>);

impl<'t> ClassText<'t> {
    /// Splits the text of one class, `class name (extends name)? (implements name,*)? { … }`, perhaps with `abstract`
    /// before it, into tokens.
    ///
    /// # Errors
    /// Reports characters that are not a token.
    pub fn new(text: &'t str) -> Result<Self, ParseError> {
        Ok(ClassText { tokens: tokens_of(text)? })
    }

    /// Reads everything except the code: returns the head and the members.
    ///
    /// # Errors
    /// Reports what is wrong with the text.
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

    /// The code of a method from [`ClassText::declarations`]; `None` if it is abstract.
    ///
    /// # Errors
    /// Reports what is wrong with the text.
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

/// The contents of the head of a class.
pub struct ClassHead {
    /// Whether it is abstract, so that it has no objects of its own.
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
