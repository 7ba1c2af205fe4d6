//! Asks an assembly or a PDB for everything that it has.

use aback_cil::{Assembly, EnumType, Malformed, MemberSig, Operand, Pdb, StandAloneSig, Table, Token, TypeSig};

/// How much was there, and what could not be read.
#[derive(Default)]
pub struct Walk {
    pub types: usize,
    pub methods: usize,
    pub bodies: usize,
    pub instructions: usize,
    pub attributes: usize,
    pub sequence_points: usize,
    pub failures: Vec<String>,
}

/// The enums of the class library that are no `int` and occur in attributes.
fn underlying(of: EnumType<'_>) -> Option<TypeSig> {
    match of {
        EnumType::Name(name) if name.starts_with("System.Diagnostics.Tracing.EventChannel,") => Some(TypeSig::U1),
        EnumType::Name(name) if name.starts_with("System.Diagnostics.Tracing.EventKeywords,") => Some(TypeSig::I8),
        _ => None,
    }
}

impl Walk {
    fn ok<T>(&mut self, result: Result<T, Malformed>) -> Option<T> {
        result.map_err(|malformed| self.failures.push(malformed.to_string())).ok()
    }

    fn some<T>(&mut self, what: &str, token: Token, option: Option<T>) -> Option<T> {
        if option.is_none() {
            self.failures.push(format!("no {what} of {token}"));
        }
        option
    }

    pub fn assembly(&mut self, assembly: &Assembly) {
        let _ = (assembly.name(), assembly.version(), assembly.mvid(), assembly.pdb_id(), assembly.pdb_path());
        let _ = (assembly.entry_point(), format!("{:?}", assembly.mvid()));
        if let Some(Some(pdb)) = self.ok(assembly.embedded_pdb()) {
            self.pdb(&pdb, assembly.rows(Table::MethodDef));
        }
        let rows = |table| 1..=assembly.rows(table);
        // Tables by themselves and one row too many.
        for row in rows(Table::TypeRef) {
            self.ok(assembly.type_ref(row));
            self.some("name", Token::new(Table::TypeRef, row), assembly.full_name(Token::new(Table::TypeRef, row)));
        }
        for row in rows(Table::TypeSpec) {
            self.ok(assembly.type_spec(row));
            let _ = assembly.full_name(Token::new(Table::TypeSpec, row));
        }
        for row in rows(Table::MemberRef) {
            if let Some(member) = self.ok(assembly.member_ref(row)) {
                let _ = matches!(member.signature, MemberSig::Field(_));
            }
        }
        for row in rows(Table::MethodSpec) {
            self.ok(assembly.method_spec(row));
        }
        for row in rows(Table::StandAloneSig) {
            let _ = matches!(self.ok(assembly.stand_alone_sig(row)), Some(StandAloneSig::Locals(_)));
        }
        for row in rows(Table::ModuleRef) {
            self.ok(assembly.module_ref(row));
        }
        for row in rows(Table::AssemblyRef) {
            self.ok(assembly.assembly_ref(row));
        }
        for row in rows(Table::ExportedType) {
            if let Some(exported) = self.ok(assembly.exported_type(row))
                && exported.implementation.table() == Some(Table::AssemblyRef)
            {
                let token = Token::new(Table::ExportedType, row);
                self.some("forwarder", token, assembly.find_forwarder(exported.namespace, exported.name));
            }
        }
        for row in rows(Table::Field) {
            let token = Token::new(Table::Field, row);
            if let Some(field) = self.ok(assembly.field(row)) {
                if field.is_literal() {
                    self.some("constant", token, assembly.constant(token));
                }
                if field.has_data() {
                    self.some("data", token, assembly.field_data(row));
                }
            }
            self.some("owner", token, assembly.field_owner(row));
            let _ = assembly.field_offset(row);
            self.ok(assembly.field_name(row));
        }
        for row in rows(Table::TypeDef) {
            self.type_def(assembly, row);
        }
        for row in rows(Table::MethodDef) {
            self.method(assembly, row);
        }
        for table in Table::ALL {
            for row in rows(table) {
                self.attributes(assembly, Token::new(table, row));
            }
        }
        for row in [0, 0x00ff_ffff, u32::MAX] {
            assert!(assembly.type_def(row).is_err() && assembly.method(row).is_err() && assembly.body(row).is_err());
            assert!(assembly.nested(row).is_empty() && assembly.params(row).is_empty());
            let _ = (assembly.enclosing(row), assembly.method_owner(row), assembly.field_data(row));
            let _ = (assembly.user_string(row), assembly.properties(row), assembly.events(row));
            let _ = (assembly.generic_params(Token(row)), assembly.constant(Token(row)));
            let _ = (assembly.interface_impls(row), assembly.method_impls(row), assembly.custom_attributes(Token(row)));
        }
    }

    fn type_def(&mut self, assembly: &Assembly, row: u32) {
        self.types += 1;
        let token = Token::new(Table::TypeDef, row);
        let Some(def) = self.ok(assembly.type_def(row)) else { return };
        if let Some(name) = self.some("name", token, assembly.full_name(token)) {
            self.some("row", token, assembly.find_full_name(&name));
        }
        match assembly.enclosing(row) {
            Some(enclosing) if !assembly.nested(enclosing).contains(&row) => {
                self.failures.push(format!("{enclosing} lacks {token}"))
            }
            Some(_) => {}
            None => {
                self.some("row", token, assembly.find_type(def.namespace, def.name));
            }
        }
        let _ = (assembly.interface_impls(row), assembly.method_impls(row), assembly.class_layout(row));
        let _ = (assembly.generic_params(token), assembly.properties(row), assembly.events(row), def.visibility());
    }

    fn method(&mut self, assembly: &Assembly, row: u32) {
        self.methods += 1;
        let token = Token::new(Table::MethodDef, row);
        self.some("owner", token, assembly.method_owner(row));
        self.ok(assembly.method_name(row));
        let Some(method) = self.ok(assembly.method(row)) else { return };
        if method.is_pinvoke() {
            self.some("library", token, assembly.pinvoke(row));
        }
        for param in assembly.params(row) {
            let _ = assembly.constant(Token::new(Table::Param, param.row));
        }
        let _ = assembly.generic_params(token);
        let Some(Some(body)) = self.ok(assembly.body(row)) else { return };
        self.bodies += 1;
        self.instructions += body.instructions.len();
        for instruction in &body.instructions {
            if let Operand::Token(token) = instruction.operand
                && token.0 >> 24 == 0x70
            {
                self.some("string", token, assembly.user_string(token.row()));
            }
        }
    }

    fn attributes(&mut self, assembly: &Assembly, parent: Token) {
        for attribute in assembly.custom_attributes(parent) {
            self.attributes += 1;
            if let Some(class) = self.some("class", attribute.constructor, assembly.attribute_class(&attribute)) {
                let _ = assembly.full_name(class);
            }
            self.ok(assembly.attribute_arguments(&attribute, &underlying));
        }
    }

    pub fn pdb(&mut self, pdb: &Pdb, methods: u32) {
        let _ = pdb.id();
        for row in 1..=pdb.documents() {
            self.ok(pdb.document(row));
            let _ = pdb.embedded_source(row);
        }
        for row in 1..=methods {
            self.sequence_points += pdb.sequence_points(row).len();
            let _ = (pdb.local_scopes(row), pdb.kickoff(row), pdb.hoisted_scopes(row));
        }
    }
}
