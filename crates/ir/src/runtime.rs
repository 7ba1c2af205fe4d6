//! Defines the questions that engines ask about a language, its libraries and its runtime.

use crate::body::OpKind;
use crate::form::{Form, Look};
use crate::program::{
    ClassId, DeclaredTypes, FieldId, Maker, MethodId, MethodKind, Program, SourceType, Type, Unselected,
};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::sync::{PoisonError, RwLock};

/// How a platform method passes on the objects that it gets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Passing {
    /// How its result, or the object that a constructor makes, is related to these objects.
    pub made: Made,
    /// Whether it may keep them where its receiver or other platform code finds them later.
    pub keeps: bool,
    /// Whether code outside of the program may find what it keeps: in state of the platform, or in an exception.
    pub publishes: bool,
    /// Whether a change that it makes may also change the objects behind its arguments. For example, the elements of
    /// a list may be those of an array.
    pub changes_through: bool,
}

impl Passing {
    /// The effects of a method about which nothing is known.
    pub const UNKNOWN: Passing = Passing { made: Made::Views, keeps: true, publishes: false, changes_through: true };
}

/// State of platform code. It exists before an entry point is called.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct LibraryState {
    /// Its name for users.
    pub name: &'static str,
    /// Whether it may be arbitrary even if the program has not changed it.
    pub is_open: bool,
}

/// How an object is related to the objects that it is made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Made {
    /// It is one of them, or something through which they can be changed.
    Views,
    /// It holds them or their contents. Changes of it do not change them.
    Holds,
    /// It is one of those with its own type, or unrelated to them: objects of its class refer to no other objects.
    Flat,
}

/// What a class stands for that no source declares, because the compiler made it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MadeFor {
    /// Variables that functions capture, and functions without such variables.
    Functions,
    /// An iterator: code that gets an object of the class runs the iterator's code.
    Iterator,
    /// An async method: its code runs when the method is called, and goes on when what it waits for is complete.
    Async,
    /// An iterator that is an async method, too.
    AsyncIterator,
}

/// What code can do with a field.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum FieldUse {
    /// Nothing.
    None,
    /// Read it.
    Read,
    /// Read and assign it.
    Assign,
}

/// A choice that the platform has, such as that of identity hash codes, of which only one possibility is explored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FixedChoice {
    /// The method that chooses. Executions with another choice end in it, with a bound.
    pub fixed: MethodId,
    /// A method with the same parameters that chooses in all ways.
    pub any: MethodId,
}

/// Arrays that are parts of an object: in every object that exists when the program starts, they are not null, they
/// have the same length, and nothing else refers to them. A part may also be an object that itself consists of arrays.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OwnedArrays {
    /// The fields with the arrays, at least one.
    pub arrays: Vec<FieldId>,
    /// What their length has to do with other fields.
    pub extent: Extent,
}

/// What the length of the arrays that belong to an object has to do with the numbers in fields of the object.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Extent {
    /// Nothing.
    Any,
    /// The numbers are not negative, and their product is the length: those of the dimensions of an array.
    Product(Vec<FieldId>),
    /// The first elements are in use, as in a list.
    Used {
        /// How many: at least zero, and at most all.
        count: FieldId,
        /// The index behind the last one; zero if that is the end of the array.
        end: Option<FieldId>,
        /// Whether the length is the greatest that there is: nothing can find out how many elements are not in use.
        is_longest: bool,
    },
}

/// The methods that call entry points with their inputs ([`Runtime::entry`]), each of which is made once: that takes a
/// look at the whole program.
#[derive(Default)]
pub struct Starts(RwLock<FxHashMap<MethodId, Option<MethodId>>>);

impl Starts {
    /// The method that starts an entry point. `make` makes it at the first call.
    pub fn of(&self, entry: MethodId, make: impl FnOnce() -> Option<MethodId>) -> Option<MethodId> {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner).get(&entry).copied();
        known.unwrap_or_else(|| {
            let made = make();
            *self.0.write().unwrap_or_else(PoisonError::into_inner).entry(entry).or_insert(made)
        })
    }
}

/// How a method checks a reference for null.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NullCheck {
    /// It throws the exception for null if the argument with this index is null.
    Argument(usize),
    /// It throws this exception always, so that it is called only where a reference is null.
    Failed,
}

/// Answers questions about declarations that depend on the language: who may call a method, what libraries do with
/// their arguments, what runs before an entry point. The default answers are those of a language without libraries in
/// which every method can be called.
pub trait Runtime: Send + Sync {
    /// A synthetic method that creates the special inputs of an entry point and then calls it. Its parameters are the
    /// remaining inputs, with their names. `None`: no input is special.
    fn entry(&self, program: &Program, entry: MethodId) -> Option<MethodId> {
        let _ = (program, entry);
        None
    }

    /// The ways in which callers make objects of a type, the usual ones first. The objects of all others are any.
    fn makers(&self, program: &Program, ty: &SourceType) -> Vec<Maker> {
        let _ = (program, ty);
        Vec::new()
    }

    /// Whether the program has values, other than objects, of which callers cannot choose any: only its own code writes their
    /// parts.
    fn restricts_values(&self, program: &Program) -> bool {
        let _ = program;
        false
    }

    /// The types of a method's parameters as the sources have them, the receiver first.
    fn source_types(&self, program: &Program, method: MethodId) -> Vec<SourceType> {
        program.method(method).params.iter().map(|&ty| ty.into()).collect()
    }

    /// The type of a field as the sources have it, in an object of a type.
    fn field_source_type(&self, program: &Program, field: FieldId, object: &SourceType) -> SourceType {
        let _ = object;
        program.field(field).ty.into()
    }

    /// The type of an object of exactly `class` that is an instance of a type.
    fn exact_source_type(&self, program: &Program, class: ClassId, of: &SourceType) -> SourceType {
        let _ = (program, of);
        Type::Class(class).into()
    }

    /// The class with this simple name that is nested in a generic class, with the type arguments of the instance `outer`.
    /// It is loaded by that.
    fn nested_instance(&self, program: &Program, outer: ClassId, name: &str) -> Option<ClassId> {
        let _ = (program, outer, name);
        None
    }

    /// The method that a virtual call of `method` selects if the receiver's class is exactly `class`, in a language
    /// with rules of its own; `None` in a language with the rules of [`Program::select`].
    fn select(&self, program: &Program, class: ClassId, method: MethodId) -> Option<Result<MethodId, Unselected>> {
        let _ = (program, class, method);
        None
    }

    /// Whether an object of one type is an instance of a class to which the hierarchy does not relate it: arrays that
    /// implement interfaces for their element type, and variant type parameters.
    fn is_instance(&self, program: &Program, of: Type, class: ClassId) -> bool {
        let _ = (program, of, class);
        false
    }

    /// Whether a class has variant type parameters.
    fn is_variant(&self, program: &Program, class: ClassId) -> bool {
        let _ = (program, class);
        false
    }

    /// Loaded classes whose objects are instances of `class` although they do not name it as a parent, because type
    /// parameters are variant.
    fn variants(&self, program: &Program, class: ClassId) -> Vec<ClassId> {
        let _ = (program, class);
        Vec::new()
    }

    /// The method that runs if a call of `method` on an object of exactly `class` selects none. It takes the same
    /// parameters and throws the language's error. `None`: the call runs `method` itself.
    fn unselected(&self, program: &Program, class: ClassId, method: MethodId, reason: Unselected) -> Option<MethodId> {
        let _ = (program, class, method, reason);
        None
    }

    /// Whether no input reference of an entry point is null, including references in input objects, because its
    /// callers pass no nulls.
    fn has_no_nulls(&self, program: &Program, entry: MethodId) -> bool {
        let _ = (program, entry);
        false
    }

    /// Whether the first argument of a constructor, after the new object, is the object that encloses the new one. It is
    /// never null.
    fn takes_enclosing_object(&self, program: &Program, constructor: MethodId) -> bool {
        let _ = (program, constructor);
        false
    }

    /// Whether an instance field is non-null in every object that exists when the program starts, because its
    /// constructors set it.
    fn is_never_null(&self, program: &Program, field: FieldId) -> bool {
        let _ = (program, field);
        false
    }

    /// Whether callers outside of the program pass no null for a parameter, because its declaration says so and is trusted.
    fn takes_no_null(&self, program: &Program, method: MethodId, parameter: usize) -> bool {
        let _ = (program, method, parameter);
        false
    }

    /// Whether only the program, or library code, creates objects of a class, so that no input has this class
    /// ([`InputRules::made_only`](crate::InputRules::made_only) lists such classes where they are few).
    fn is_made_only(&self, program: &Program, class: ClassId) -> bool {
        let _ = (program, class);
        false
    }

    /// Whether objects of a library class of which the runtime says that no input has it ([`Runtime::is_made_only`]) can be
    /// inputs with any values in their fields where somebody else says which values are meant.
    fn can_be_described(&self, program: &Program, class: ClassId) -> bool {
        let _ = (program, class);
        false
    }

    /// Whether a class belongs to the library, and some objects of it that inputs may contain are impossible, because its
    /// methods keep a rule about its fields.
    fn may_be_impossible(&self, program: &Program, class: ClassId) -> bool {
        let _ = (program, class);
        false
    }

    /// Whether objects of a class may exist that no constructor has completed: the runtime makes them from files, or calls
    /// a method of the class on objects whose constructors have failed.
    fn has_other_origins(&self, program: &Program, class: ClassId) -> bool {
        let _ = (program, class);
        false
    }

    /// Whether there are arrays whose elements have this class as their type. There are none if the class stands for
    /// boxed values, which are elements without boxes, or has no objects.
    fn is_element_type(&self, program: &Program, class: ClassId) -> bool {
        let _ = (program, class);
        true
    }

    /// What a class of the program stands for, if the compiler made it. Only the compiler's code makes its objects.
    fn made_for(&self, program: &Program, class: ClassId) -> Option<MadeFor> {
        let _ = (program, class);
        None
    }

    /// Whether a method is the one for whose code the compiler made a class ([`Runtime::made_for`]): an iterator or an
    /// async method.
    fn starts(&self, program: &Program, method: MethodId, class: ClassId) -> bool {
        let _ = (program, method, class);
        false
    }

    /// Whether a library method may give something that is not complete, so that async code that waits for it goes on
    /// later.
    fn may_be_incomplete(&self, program: &Program, method: MethodId) -> bool {
        let _ = (program, method);
        true
    }

    /// Whether objects of a class are managed pointers: only parameters and variables hold them, so that no input and
    /// no static field does. Libraries call methods of such an object only to read and write its place.
    fn is_pointer(&self, program: &Program, class: ClassId) -> bool {
        let _ = (program, class);
        false
    }

    /// Whether only the code of the program makes objects of a class, and only parameters and variables hold them, so
    /// that code to which no object of the class is passed has only those that it makes.
    fn is_own_pointer(&self, program: &Program, class: ClassId) -> bool {
        let _ = (program, class);
        false
    }

    /// The arrays that belong to each object of a class, if there are any.
    fn owned_arrays(&self, program: &Program, class: ClassId) -> Option<OwnedArrays> {
        let _ = (program, class);
        None
    }

    /// Whether an instance field has the default value of its type in every object that exists when the program starts,
    /// or nothing can find out its value.
    fn is_unset(&self, program: &Program, field: FieldId) -> bool {
        let _ = (program, field);
        false
    }

    /// Whether a field holds an array that belongs to its object ([`Runtime::owned_arrays`]).
    fn is_owned_array(&self, program: &Program, field: FieldId) -> bool {
        let _ = (program, field);
        false
    }

    /// Whether an array or object of exactly this type may belong to an object ([`Runtime::owned_arrays`]).
    fn may_be_part(&self, program: &Program, ty: Type) -> bool {
        let _ = (program, ty);
        false
    }

    /// Whether no library has subclasses of a class that it declares, so that those of the program are all.
    fn has_own_subclasses_only(&self, program: &Program, class: ClassId) -> bool {
        let _ = (program, class);
        false
    }

    /// Whether a class belongs to the platform, so that its initializer does not depend on what a program did before.
    fn is_platform(&self, program: &Program, class: ClassId) -> bool {
        let _ = (program, class);
        false
    }

    /// Whether a library method may call methods that its arguments name.
    fn is_reflective(&self, program: &Program, method: MethodId) -> bool {
        let _ = (program, method);
        false
    }

    /// Whether code that gets a function object can get what this field of it holds: the object on which the function is
    /// called.
    fn is_open_target(&self, program: &Program, field: FieldId) -> bool {
        let _ = (program, field);
        false
    }

    /// Whether library code may read and write fields of the program proper, as instances of generic library code do, so
    /// that an analysis of the program alone cannot tell what matters.
    fn has_open_libraries(&self) -> bool {
        false
    }

    /// The methods of the program proper that libraries may call, if the language knows them better than an analysis of
    /// the program model.
    fn callbacks(&self, program: &Program) -> Option<Vec<MethodId>> {
        let _ = program;
        None
    }

    /// The methods of the program proper that run when a library calls its own method on an object or type of the
    /// program, besides those that override a method in [`Class::methods`](crate::Class::methods): for languages that
    /// declare methods of libraries on demand.
    fn selected_by_libraries(&self, program: &Program) -> Vec<MethodId> {
        let _ = program;
        Vec::new()
    }

    /// The names and forms of the parameters of a method as users know them, the receiver first; `None` if they are
    /// those of the program model. A name may begin with a word such as `ref`.
    fn parameter_forms(&self, program: &Program, method: MethodId) -> Option<Vec<(String, Form)>> {
        let _ = (program, method);
        None
    }

    /// The types of a method as the sources declare them; `None` if they are those of the program model.
    fn declared_types(&self, program: &Program, method: MethodId) -> Option<DeclaredTypes> {
        let _ = (program, method);
        None
    }

    /// Whether a field of a library means something to the platform only, such as the frames of an exception.
    fn is_internal(&self, program: &Program, field: FieldId) -> bool {
        let _ = (program, field);
        false
    }

    /// How objects of a class are shown; `None` if they are shown as the program model has them.
    fn look(&self, program: &Program, class: ClassId) -> Option<Look> {
        let _ = (program, class);
        None
    }

    /// How values of a type are shown of which only the type in the program model is known, such as elements of arrays.
    fn value_form(&self, program: &Program, ty: Type) -> Form {
        let _ = (program, ty);
        Form::Plain
    }

    /// The methods that a name in the sources means and that the program makes on demand: instances of generic methods.
    /// The name has no parameter types.
    fn instances(&self, program: &Program, name: &str) -> Vec<MethodId> {
        let _ = (program, name);
        Vec::new()
    }

    /// Makes instances of generic methods that code outside of the program can call, one for each.
    fn make_representatives(&self, program: &Program) {
        let _ = program;
    }

    /// Whether the code of a method may be from other files than the one with its declaration.
    fn has_other_files(&self, program: &Program, method: MethodId) -> bool {
        let _ = (program, method);
        false
    }

    /// Whether a method is an instance of a generic method, or of a method of a generic class. Code outside of the program
    /// may call other instances.
    fn is_instance_of_generic(&self, program: &Program, method: MethodId) -> bool {
        let _ = (program, method);
        false
    }

    /// The fields with the same declaration as a field, in other instances of its generic class.
    fn other_instances(&self, program: &Program, field: FieldId) -> Vec<FieldId> {
        let _ = (program, field);
        Vec::new()
    }

    /// The executions of an entry point that stand for all of them, if it is an instance of a generic method: a bound,
    /// in readable form. `name` is the name that the user gave; it may name the instance.
    fn instance_bound(&self, program: &Program, entry: MethodId, name: Option<&str>) -> Option<String> {
        let _ = (program, entry, name);
        None
    }

    /// Whether code outside of the program can call a method, because it and its class are public.
    fn is_public(&self, program: &Program, method: MethodId) -> bool {
        let _ = (program, method);
        true
    }

    /// A choice of the platform of which only one possibility is explored, if there is a way to explore all of them.
    fn fixed_choice(&self, program: &Program) -> Option<FixedChoice> {
        let _ = program;
        None
    }

    /// Whether the front end added a method to a class, so that only synthetic code names it.
    fn is_synthetic(&self, program: &Program, method: MethodId) -> bool {
        let _ = (program, method);
        false
    }

    /// Whether a method is code of the front end, which no source and no compiler has.
    fn is_added(&self, program: &Program, method: MethodId) -> bool {
        self.is_synthetic(program, method)
    }

    /// The parts of the result of a method that is a value of a struct, each with the fields that lead to it in the source. A part without a
    /// static field is the result in the program model, and others are left in these. Empty for all other results.
    fn result_parts(&self, program: &Program, method: MethodId) -> Vec<(String, Option<FieldId>)> {
        let _ = (program, method);
        Vec::new()
    }

    /// Whether the language adds a method to a class, so that nobody has written it.
    fn is_implicit(&self, program: &Program, method: MethodId) -> bool {
        let _ = (program, method);
        false
    }

    /// Whether only its own class, and classes nested in it or around it, can refer to a field.
    fn is_private_field(&self, program: &Program, field: FieldId) -> bool {
        let _ = (program, field);
        false
    }

    /// What a class of the program declares of itself and its members that the program model lacks, and about which analyses may ask: types
    /// with their arguments, access. The text is the same if the declarations are.
    fn declarations(&self, program: &Program, class: ClassId) -> String {
        let _ = (program, class);
        String::new()
    }

    /// What code outside of the program can do with a field.
    fn use_outside(&self, program: &Program, field: FieldId) -> FieldUse {
        let _ = (program, field);
        FieldUse::None
    }

    /// The index of the parameter of a method that is its first truth value in the source, where the receiver counts as
    /// a parameter. The default is for languages whose parameters are those of the program model.
    fn condition(&self, program: &Program, method: MethodId) -> Option<usize> {
        let method = program.method(method);
        let receiver = usize::from(method.kind != MethodKind::Static);
        (receiver..method.params.len()).find(|&index| method.params[index] == Type::Bool)
    }

    /// What a call of a method says about null, where compilers or users check a reference by it.
    fn null_check(&self, program: &Program, method: MethodId) -> Option<NullCheck> {
        let _ = (program, method);
        None
    }

    /// A method as its source names it, where its own name is one that the compiler made.
    fn source_name(&self, program: &Program, method: MethodId) -> String {
        program.method_name(method)
    }

    /// Whether a method does nothing but initialize its class, and only class initialization calls it.
    fn is_initializer(&self, program: &Program, method: MethodId) -> bool {
        let _ = (program, method);
        false
    }

    /// Whether objects of a platform class never change.
    fn is_immutable(&self, program: &Program, class: ClassId) -> bool {
        let _ = (program, class);
        false
    }

    /// Whether a platform method may change the object that is its argument with this index (from 0), or an object
    /// reachable from it, without calling methods of the program.
    fn may_change(&self, program: &Program, method: MethodId, argument: usize) -> bool {
        let _ = (program, method, argument);
        true
    }

    /// How a platform method passes its arguments on, besides changing them.
    fn passing(&self, program: &Program, method: MethodId) -> Passing {
        let _ = (program, method);
        Passing::UNKNOWN
    }

    /// The states of platform code that an operation reads.
    fn states_read(&self, program: &Program, op: &OpKind) -> Vec<LibraryState> {
        let _ = (program, op);
        Vec::new()
    }

    /// The state of platform code that an operation changes.
    fn state_changed(&self, program: &Program, op: &OpKind) -> Option<LibraryState> {
        let _ = (program, op);
        None
    }

    /// Whether a platform method may call methods of its arguments.
    fn may_call_back(&self, program: &Program, method: MethodId) -> bool {
        let _ = (program, method);
        true
    }

    /// Methods with the code of models: code that the user has written in place of methods of libraries. What it says
    /// is trusted. Any call that runs code of a platform may run any of them. They name nothing of the program proper.
    fn models(&self, program: &Program) -> Vec<MethodId> {
        let _ = program;
        Vec::new()
    }

    /// A method of a library for users, with the types of its parameters, if its code is that of a model of the user.
    fn modelled(&self, program: &Program, method: MethodId) -> Option<String> {
        let _ = (program, method);
        None
    }

    /// The methods of libraries with a model of the user whose code has been asked for, named as by
    /// [`Runtime::modelled`], sorted: no execution that was looked at runs another model.
    fn models_used(&self, program: &Program) -> Vec<String> {
        let _ = program;
        Vec::new()
    }

    /// The methods that run before any other method of the program does, whatever that is.
    fn first_methods(&self, program: &Program) -> Vec<MethodId> {
        let _ = program;
        Vec::new()
    }

    /// Whether a program starts with this method, so that nothing has run before it.
    fn is_start(&self, program: &Program, method: MethodId) -> bool {
        program.method_name(method) == "Main.main"
    }

    /// Whether a method is a property: a test with parameters, which a framework calls with many arguments.
    fn is_property(&self, program: &Program, method: MethodId) -> bool {
        let _ = (program, method);
        false
    }

    /// The simple names of the annotations or attributes that a method and its class have in the sources, as far as the compiler keeps them.
    fn annotations(&self, program: &Program, method: MethodId) -> BTreeSet<String> {
        let _ = (program, method);
        BTreeSet::new()
    }

    /// Whether a method does not occur in the sources and only calls a method that does.
    fn is_bridge(&self, program: &Program, method: MethodId) -> bool {
        let _ = (program, method);
        false
    }

    /// Whether classes outside of the program could extend or implement a class.
    fn is_extendable(&self, program: &Program, class: ClassId) -> bool {
        let _ = (program, class);
        false
    }

    /// Whether classes outside of the program could override a method: neither it nor its class is private or final.
    fn is_overridable(&self, program: &Program, method: MethodId) -> bool {
        let _ = (program, method);
        false
    }

    /// Whether a class has been initialized if one of its objects exists.
    fn is_initialized_by_objects(&self, program: &Program, class: ClassId) -> bool {
        let _ = (program, class);
        true
    }

    /// The class-initialization guard and the initializer of a class ([`OpKind::Ensure`](crate::OpKind::Ensure)), if
    /// the class needs initialization.
    fn initialization(&self, program: &Program, class: ClassId) -> Option<(FieldId, MethodId)> {
        let _ = (program, class);
        None
    }
}

/// The runtime with all default answers.
pub(crate) struct NoRuntime;

impl Runtime for NoRuntime {}
