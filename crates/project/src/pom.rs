//! Reads the project files of Maven (POM reference): what they inherit, their properties, and what they depend on.

use crate::repository::{Artifact, Repository};
use crate::{ProjectError, read};
use roxmltree::{Document, Node};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Longest chain of parents, and of imports of managed versions.
const MOST_PARENTS: usize = 32;

/// When a library is needed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Scope {
    /// At compile time and at run time.
    Used,
    /// By the project itself only, since what uses the project has it already.
    Provided,
    /// By tests only.
    Test,
    /// It is a list of managed versions.
    Import,
}

/// A library that a project needs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Dependency {
    pub(crate) group: String,
    pub(crate) name: String,
    pub(crate) version: Option<String>,
    pub(crate) classifier: Option<String>,
    pub(crate) scope: Scope,
    pub(crate) is_optional: bool,
    /// Groups and names of what is left out of the libraries that this one needs; `*` for all.
    pub(crate) exclusions: Vec<(String, String)>,
    /// Whether the file gives a scope.
    has_scope: bool,
}

impl Dependency {
    /// A library in general use.
    pub(crate) fn used(artifact: Artifact) -> Self {
        Dependency {
            group: artifact.group,
            name: artifact.name,
            version: Some(artifact.version),
            classifier: None,
            scope: Scope::Used,
            is_optional: false,
            exclusions: Vec::new(),
            has_scope: true,
        }
    }

    /// Whether this is the same library, maybe in another version.
    pub(crate) fn is_version_of(&self, other: &Dependency) -> bool {
        self.group == other.group && self.name == other.name && self.classifier == other.classifier
    }
}

/// A project file, with what it inherits.
#[derive(Clone, Default, Debug)]
pub(crate) struct Pom {
    pub(crate) group: String,
    pub(crate) name: String,
    pub(crate) version: String,
    /// The folders of modules, relative to the project's.
    pub(crate) modules: Vec<String>,
    pub(crate) dependencies: Vec<Dependency>,
    /// Versions for libraries that are needed without one.
    pub(crate) managed: Vec<Dependency>,
    pub(crate) source_folder: Option<String>,
    pub(crate) test_folder: Option<String>,
    properties: BTreeMap<String, String>,
}

impl Pom {
    /// Reads a project file and its parents.
    ///
    /// # Errors
    /// The file itself cannot be used. Parents that are not there are left out.
    pub(crate) fn read(path: &Path, repository: &Repository) -> Result<Pom, ProjectError> {
        let mut pom = Pom::inherited(path, repository, 0)?;
        pom.complete(repository, 0);
        Ok(pom)
    }

    /// The file with what it inherits, before properties are inserted.
    fn inherited(path: &Path, repository: &Repository, depth: usize) -> Result<Pom, ProjectError> {
        let text = read(path)?;
        let invalid = |reason: String| ProjectError::Invalid { path: path.to_path_buf(), tool: "Maven", reason };
        let document = Document::parse(&text).map_err(|error| invalid(error.to_string()))?;
        let project = document.root_element();
        if project.tag_name().name() != "project" {
            return Err(invalid("its outermost element is not `project`".into()));
        }
        let parent_node = child(project, "parent");
        let mut pom = match parent_node {
            Some(parent) if depth < MOST_PARENTS => parent_of(parent, path, repository, depth).unwrap_or_default(),
            _ => Pom::default(),
        };
        if let Some(parent) = parent_node {
            pom.group = text_of(parent, "groupId").unwrap_or(pom.group);
            pom.version = text_of(parent, "version").unwrap_or(pom.version);
            let inherited =
                [("project.parent.groupId", pom.group.clone()), ("project.parent.version", pom.version.clone())];
            pom.properties.extend(inherited.map(|(name, value)| (name.to_string(), value)));
        }
        pom.modules.clear();
        pom.group = text_of(project, "groupId").unwrap_or(pom.group);
        pom.name = text_of(project, "artifactId").unwrap_or_default();
        pom.version = text_of(project, "version").unwrap_or(pom.version);
        for property in child(project, "properties").into_iter().flat_map(|all| all.children()).filter(Node::is_element)
        {
            pom.properties.insert(property.tag_name().name().into(), content(property));
        }
        pom.modules.extend(children(project, "modules", "module").map(content));
        let own = children(project, "dependencies", "dependency").map(dependency);
        pom.dependencies = overriding(own.collect(), std::mem::take(&mut pom.dependencies));
        if let Some(management) = child(project, "dependencyManagement") {
            let own = children(management, "dependencies", "dependency").map(dependency);
            pom.managed = overriding(own.collect(), std::mem::take(&mut pom.managed));
        }
        if let Some(build) = child(project, "build") {
            pom.source_folder = text_of(build, "sourceDirectory").or(pom.source_folder);
            pom.test_folder = text_of(build, "testSourceDirectory").or(pom.test_folder);
        }
        Ok(pom)
    }

    /// Inserts properties, and the managed versions of other files.
    fn complete(&mut self, repository: &Repository, depth: usize) {
        for (name, value) in [("groupId", &self.group), ("artifactId", &self.name), ("version", &self.version)] {
            self.properties.insert(format!("project.{name}"), value.clone());
            self.properties.insert(format!("pom.{name}"), value.clone());
        }
        let properties = std::mem::take(&mut self.properties);
        let insert = |text: &mut String| *text = inserted(text, &properties);
        for text in [&mut self.group, &mut self.name, &mut self.version] {
            insert(text);
        }
        for text in self.modules.iter_mut().chain(&mut self.source_folder).chain(&mut self.test_folder) {
            insert(text);
        }
        for dependency in self.dependencies.iter_mut().chain(&mut self.managed) {
            insert(&mut dependency.group);
            insert(&mut dependency.name);
            dependency.version.as_mut().into_iter().chain(&mut dependency.classifier).for_each(insert);
        }
        let mut managed = Vec::new();
        for dependency in std::mem::take(&mut self.managed) {
            if dependency.scope != Scope::Import {
                managed.push(dependency);
                continue;
            }
            let Some(version) = dependency.version.filter(|_| depth < MOST_PARENTS) else { continue };
            let artifact = Artifact { group: dependency.group, name: dependency.name, version };
            let file = repository.file(&artifact, ".pom");
            let imported = file.and_then(|file| Pom::inherited(&file, repository, 0).ok()).map(|mut pom| {
                pom.complete(repository, depth + 1);
                pom.managed
            });
            managed.extend(imported.into_iter().flatten());
        }
        // The first entry for a library counts: its own before those that it imports.
        self.managed = overriding(managed, Vec::new());
        for dependency in &mut self.dependencies {
            let Some(known) = self.managed.iter().find(|known| known.is_version_of(dependency)) else { continue };
            dependency.version = dependency.version.take().or_else(|| known.version.clone());
            if !dependency.has_scope {
                dependency.scope = known.scope;
            }
            dependency.exclusions.extend(known.exclusions.iter().cloned());
        }
        self.properties = properties;
    }
}

/// The parent of a project file: at its relative path if it is the one, otherwise in the repository.
fn parent_of(node: Node, path: &Path, repository: &Repository, depth: usize) -> Option<Pom> {
    let artifact = Artifact {
        group: text_of(node, "groupId")?,
        name: text_of(node, "artifactId")?,
        version: text_of(node, "version")?,
    };
    let relative = child(node, "relativePath").map_or_else(|| "../pom.xml".into(), content);
    let beside = path.parent().filter(|_| !relative.is_empty()).map(|folder| {
        let found: PathBuf = folder.join(&relative);
        if found.is_dir() { found.join("pom.xml") } else { found }
    });
    let beside =
        beside.filter(|file| file.is_file()).and_then(|file| Pom::inherited(&file, repository, depth + 1).ok());
    let beside = beside.filter(|found| found.name == artifact.name);
    beside.or_else(|| Pom::inherited(&repository.file(&artifact, ".pom")?, repository, depth + 1).ok())
}

/// The first dependency on each library.
fn overriding(first: Vec<Dependency>, then: Vec<Dependency>) -> Vec<Dependency> {
    let mut all: Vec<Dependency> = Vec::new();
    for dependency in first.into_iter().chain(then) {
        let is_known = |known: &Dependency| known.scope != Scope::Import && known.is_version_of(&dependency);
        if !all.iter().any(is_known) {
            all.push(dependency);
        }
    }
    all
}

fn dependency(node: Node) -> Dependency {
    let scope = text_of(node, "scope");
    let exclusion = |node: Node| {
        let part = |name: &str| text_of(node, name).unwrap_or_else(|| "*".into());
        (part("groupId"), part("artifactId"))
    };
    let kind = text_of(node, "type");
    Dependency {
        group: text_of(node, "groupId").unwrap_or_default(),
        name: text_of(node, "artifactId").unwrap_or_default(),
        version: text_of(node, "version"),
        classifier: text_of(node, "classifier")
            .or_else(|| (kind.as_deref() == Some("test-jar")).then(|| "tests".into())),
        scope: match scope.as_deref() {
            Some("test") => Scope::Test,
            Some("import") => Scope::Import,
            Some("provided" | "system") => Scope::Provided,
            _ => Scope::Used,
        },
        is_optional: text_of(node, "optional").as_deref() == Some("true"),
        exclusions: children(node, "exclusions", "exclusion").map(exclusion).collect(),
        has_scope: scope.is_some(),
    }
}

/// A text with the values of properties in place of `${name}`. Unknown ones stay.
fn inserted(text: &str, properties: &BTreeMap<String, String>) -> String {
    /// Most properties in each other.
    const MOST: usize = 64;
    let mut done = String::new();
    let mut rest = text.to_string();
    for _ in 0..MOST {
        let Some((before, after)) = rest.split_once("${") else { break };
        let Some((name, after)) = after.split_once('}') else { break };
        match properties.get(name) {
            Some(value) => rest = format!("{before}{value}{after}"),
            None => {
                done.push_str(&format!("{before}${{{name}}}"));
                rest = after.to_string();
            }
        }
        if rest.len() > 1 << 16 {
            break;
        }
    }
    done + &rest
}

fn child<'a, 'i>(node: Node<'a, 'i>, name: &str) -> Option<Node<'a, 'i>> {
    node.children().find(|child| child.tag_name().name() == name)
}

fn children<'a, 'i>(node: Node<'a, 'i>, list: &str, each: &str) -> impl Iterator<Item = Node<'a, 'i>> {
    let found = child(node, list).into_iter().flat_map(|list| list.children());
    found.filter(move |child| child.tag_name().name() == each)
}

fn content(node: Node) -> String {
    node.text().unwrap_or_default().trim().to_string()
}

fn text_of(node: Node, name: &str) -> Option<String> {
    child(node, name).map(content).filter(|text| !text.is_empty())
}
