//! Ast → Model: names resolved, defaults filled in; the only place that knows both.
//!
//! Pure. What does not resolve stays in the model as such (`Origin::Unknown`, a sink without an
//! index), for its rule to report; only what is no stage at all is reported here (P005).

#![deny(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::unreachable
)]

mod made;

use proc_macro2::Ident;
use syn::{Expr, FnArg, Lit, LitStr, Pat, Type};

use crate::ast::chain::{ArmAst, Body, Call, ChainAst, MatchAst, PathAst, Statement};
use crate::ast::item::{FanOut, FunctionAst, Lookup, OpOptions};
use crate::ast::tolerant::MISSING;
use crate::ast::{Ast, Scope};
use crate::check::{P005, P006, P021, P066, p005_unknown_stage};
use crate::codegen::paths::Paths;
use crate::config::ConfigFile;
use crate::editor;
use crate::label;
use crate::model::{
    Arm, Chain, End, Function, Kind, Operator, Origin, Param, Path, Pipeline, Policy, PolicyKind,
    Split, Stage, State, Stream, StreamKind, Use,
};
use crate::names;
use crate::report::Report;

/// Makes the model of `ast`, and gives back what of it is emitted as it is.
pub(crate) fn lower(ast: Ast, report: &mut Report) -> (Pipeline, Outer) {
    let states: Vec<State> = ast
        .states
        .into_iter()
        .map(|state| State {
            cfgs: state.cfgs,
            ident: state.item.ident.clone(),
            defaults_by_field: state.init.is_none()
                && !state.derives_default
                && !ast
                    .scope
                    .defaults
                    .iter()
                    .any(|name| state.item.ident == name),
            init: state.init,
            shared: state.shared,
            item: state.item,
        })
        .collect();
    let functions = ast
        .functions
        .into_iter()
        .map(|function| lower_function(function, &states, &ast.lookups))
        .collect();
    let mut pipeline = Pipeline {
        ident: ast.ident.clone(),
        sources: ast.sources,
        sinks: ast.sinks,
        states,
        lookups: ast.lookups,
        functions,
        chains: Vec::new(),
        scope: ast.scope,
        config: ast
            .args
            .config
            .and_then(|file| ConfigFile::read(file, report)),
        alloc: ast.args.alloc,
        holes: ast.holes,
        unread: ast.unread,
    };
    let mut kept = ast.kept;
    if ast.args.editor || editor::asks() {
        let paths = Paths::new(ast.args.krate.clone());
        kept.push(editor::chains(&ast.chains, &pipeline, &paths));
    }
    for chain in ast.chains {
        let cfgs = chain.cfgs.clone();
        report.under(&cfgs, |report| {
            let mut chain = Lowering::run(chain, &pipeline, report);
            label::number(&mut chain, &pipeline);
            pipeline.chains.push(chain);
        });
    }
    let outer =
        Outer { attrs: ast.attrs, vis: ast.vis, ident: ast.ident, kept, krate: ast.args.krate };
    (pipeline, outer)
}

/// What of the module is emitted whatever it means.
pub(crate) struct Outer {
    pub(crate) attrs: Vec<syn::Attribute>,
    pub(crate) vis: syn::Visibility,
    pub(crate) ident: Ident,
    pub(crate) kept: Vec<proc_macro2::TokenStream>,
    pub(crate) krate: Option<proc_macro2::TokenStream>,
}

fn lower_function(function: FunctionAst, states: &[State], lookups: &[Lookup]) -> Function {
    let FunctionAst { item, options } = function;
    let (sig, block) = (item.sig, item.block);
    let mut params: Vec<Param> = Vec::new();
    for arg in &sig.inputs {
        let FnArg::Typed(arg) = arg else { continue };
        let lookup = lower_lookup(arg, lookups);
        params.push(lookup.unwrap_or_else(|| lower_param(&arg.ty, states)));
    }
    // On a `.raw()` stream the record is where the payload comes from.
    let has_record = params.iter().any(|param| matches!(param, Param::Record(_)));
    if !has_record
        && let Some(index) = params.iter().position(|param| matches!(param, Param::Meta))
        && let Some(param) = params.get_mut(index)
        && let Some(FnArg::Typed(arg)) = sig.inputs.iter().nth(index)
    {
        *param = Param::Record(arg.ty.clone());
    }
    let (ident, cfgs) = (sig.ident.clone(), crate::ast::cfgs(&item.attrs));
    Function { ident, cfgs, params, options, sig, block }
}

/// Which lookup a parameter asks for: the one of its name, or the only one there is.
fn lower_lookup(arg: &syn::PatType, lookups: &[Lookup]) -> Option<Param> {
    let Type::Reference(reference) = &*arg.ty else { return None };
    let Type::Path(path) = &*reference.elem else { return None };
    let is_lookup = path.path.segments.last()?.ident == "Lookup";
    if !is_lookup || reference.mutability.is_some() || lookups.is_empty() {
        return None;
    }
    let named = match &*arg.pat {
        Pat::Ident(pat) => lookups
            .iter()
            .position(|lookup| names::plain(&lookup.ident) == names::plain(&pat.ident)),
        _ => None,
    };
    let only = (lookups.len() == 1).then_some(0);
    Some(named.or(only).map_or(Param::SomeLookup, Param::Lookup))
}

fn lower_param(ty: &Type, states: &[State]) -> Param {
    if let Type::Reference(reference) = ty
        && reference.mutability.is_some()
        && let Type::Path(path) = &*reference.elem
        && let Some(name) = path.path.segments.last()
        && let Some(index) = states.iter().position(|state| state.ident == name.ident)
    {
        return Param::State(index);
    }
    if let Type::Path(path) = ty
        && path
            .path
            .segments
            .last()
            .is_some_and(|last| last.ident == "Meta")
    {
        return Param::Meta;
    }
    Param::Record(Box::new(ty.clone()))
}

/// One chain on its way from statements to paths and streams.
struct Lowering<'a> {
    pipeline: &'a Pipeline,
    chain: Chain,
    /// Streams by name, one layer per arm; the innermost is last.
    scopes: Vec<Vec<usize>>,
    /// What is lowered now exists only under these.
    cfgs: Vec<syn::Attribute>,
    in_arm: bool,
}

impl<'a> Lowering<'a> {
    fn run(ast: ChainAst, pipeline: &'a Pipeline, report: &mut Report) -> Chain {
        let span = ast.span();
        let cfgs = ast.cfgs.clone();
        let chain = Chain {
            cfgs: ast.cfgs,
            span,
            name: ast.name,
            contract: ast.contract,
            paths: Vec::new(),
            streams: Vec::new(),
            nodes: Vec::new(),
            holes: false,
        };
        let scopes = vec![Vec::new()];
        let mut lowering = Self { pipeline, chain, scopes, cfgs, in_arm: false };
        lowering.body(ast.body, report);
        lowering.chain
    }

    fn body(&mut self, body: Body, report: &mut Report) {
        for statement in body.statements {
            match statement {
                Statement::Let { name, path } => {
                    let path = self.path(path, report);
                    let stream = self.stream(name.clone(), StreamKind::Let);
                    self.bind(stream);
                    if self.is_open(path) {
                        self.end(path, End::Let(stream));
                    } else {
                        self.chain.holes = true;
                        if let Some(path) = self.chain.paths.get_mut(path) {
                            path.behind_end.push(name);
                        }
                    }
                }
                Statement::Tuple { names, span, path } => self.tuple(names, span, path, report),
                Statement::Path(path) => {
                    self.path(path, report);
                }
                Statement::Match(split) => self.split(split, report),
                Statement::Unread { names } => {
                    self.chain.holes = true;
                    for name in names {
                        let stream = self.stream(name, StreamKind::Let);
                        self.bind(stream);
                    }
                }
                Statement::Broken => self.chain.holes = true,
            }
        }
    }

    fn tuple(
        &mut self,
        names: Vec<Ident>,
        span: proc_macro2::Span,
        mut path: PathAst,
        report: &mut Report,
    ) {
        let tee = match path.calls.pop() {
            Some(call) if call.name == "tee" && call.args.is_empty() => Some(call.name),
            Some(call) => {
                let not_tee = call.name.clone();
                path.calls.push(call);
                report.push_with(
                    not_tee.span(),
                    &P005,
                    format!("`{not_tee}` gives one stream, not {}", names.len()),
                    "write `let (a, b) = path.tee();`",
                );
                None
            }
            None => {
                report.push_with(
                    span,
                    &P005,
                    format!("`{}` is one stream, not {}", path.head, names.len()),
                    format!("write `let (a, b) = {}.tee();`", path.head),
                );
                None
            }
        };
        let path = self.path(path, report);
        let Some(token) = tee else {
            self.chain.holes = true;
            return;
        };
        if names.len() < 2 {
            report.push_with(
                token.span(),
                &P005,
                format!("`tee` gives {} branches", names.len()),
                "bind two or more: `let (a, b) = path.tee();`",
            );
        }
        let branches: Vec<usize> = names
            .into_iter()
            .map(|name| self.stream(name, StreamKind::Branch))
            .collect();
        for &branch in &branches {
            self.bind(branch);
        }
        let branch_nodes = vec![0; branches.len()];
        self.end(path, End::Tee { token, branches, node: 0, branch_nodes });
    }

    fn split(&mut self, ast: MatchAst, report: &mut Report) {
        let MatchAst { token: match_token, path: mut head, arms } = ast;
        let Some(call) = head.calls.pop() else {
            report.push_with(
                match_token.span,
                &P005,
                "`match` in a chain stands on a split",
                format!("write `match {}.split() {{ .. }}`, or `.split_on(key)`", head.head),
            );
            self.chain.holes = true;
            return;
        };
        let by = match (call.name.to_string().as_str(), call.args.len()) {
            ("split", 0) => None,
            ("split_on", 1) => self.operator(call.args.into_iter().next(), &call.name, report),
            (name @ ("split" | "split_on"), _) => {
                let help = if name == "split" {
                    "write `.split()`, or `.split_on(key)`"
                } else {
                    "write `.split_on(|e| e.kind)`"
                };
                let takes = if name == "split" { "nothing" } else { "one key function" };
                report.push_with(call.name.span(), &P005, format!("`{name}` takes {takes}"), help);
                None
            }
            (other, _) => {
                let help =
                    "write `match name.split() { .. }`, or `match name.split_on(key) { .. }`";
                report.push_with(
                    call.name.span(),
                    &P005,
                    format!("`match` in a chain stands on a split, not on `{other}`"),
                    help,
                );
                self.chain.holes = true;
                return;
            }
        };
        let name = head.head.clone();
        let path = self.path(head, report);
        let on_value = call.name == "split";
        let arms: Vec<(Arm, Body)> = arms
            .into_iter()
            .map(|arm| self.arm(arm, &name, on_value))
            .collect();
        let (arms, bodies): (Vec<Arm>, Vec<Body>) = arms.into_iter().unzip();
        let streams: Vec<(usize, Vec<syn::Attribute>)> = arms
            .iter()
            .map(|arm| (arm.stream, crate::ast::cfgs(&arm.attrs)))
            .collect();
        let split = Split { match_token, token: call.name, by, arms, node: 0 };
        self.end(path, End::Split(Box::new(split)));
        for ((stream, cfgs), body) in streams.into_iter().zip(bodies) {
            self.scopes.push(vec![stream]);
            let outside = std::mem::replace(&mut self.in_arm, true);
            let before = self.cfgs.len();
            self.cfgs.extend_from_slice(&cfgs);
            report.under(&cfgs, |report| self.body(body, report));
            self.cfgs.truncate(before);
            self.in_arm = outside;
            self.scopes.pop();
        }
    }

    fn arm(&mut self, ast: ArmAst, name: &Ident, on_value: bool) -> (Arm, Body) {
        let mut bound = Vec::new();
        if on_value {
            bindings(&ast.pat, &mut bound);
        }
        let mut bound = bound.into_iter();
        let first = bound.next();
        let stream = self.stream(first.clone().unwrap_or_else(|| name.clone()), StreamKind::Arm);
        let arm = Arm {
            attrs: ast.attrs,
            pat: ast.pat,
            guard: ast.guard,
            stream,
            bound: first,
            also_bound: bound.collect(),
            body_span: ast.body_span,
            body_end: ast.body_end,
            node: 0,
        };
        (arm, ast.body)
    }

    /// Lowers a path, and gives its index. Its end is open unless it is written with one.
    fn path(&mut self, ast: PathAst, report: &mut Report) -> usize {
        let index = self.chain.paths.len();
        let origin = self.origin(&ast.head, index);
        self.chain.paths.push(Path {
            cfgs: self.cfgs.clone(),
            head: ast.head,
            origin,
            stages: Vec::new(),
            end: End::Open,
            behind_end: Vec::new(),
            in_arm: self.in_arm,
        });
        for call in ast.calls {
            self.call(index, call, report);
        }
        index
    }

    fn origin(&mut self, head: &Ident, path: usize) -> Origin {
        let layers = self.scopes.len();
        let found = self
            .scopes
            .iter()
            .enumerate()
            .rev()
            .find_map(|(layer, streams)| {
                let stream = streams.iter().rev().find(|&&index| {
                    self.chain
                        .streams
                        .get(index)
                        .is_some_and(|stream| stream.name == *head)
                })?;
                Some((layer, *stream))
            });
        if let Some((layer, index)) = found {
            if let Some(stream) = self.chain.streams.get_mut(index) {
                let crossed = layer + 1 < layers;
                stream.uses.push(Use { token: head.clone(), path, crossed });
            }
            return Origin::Stream(index);
        }
        self.pipeline
            .sources
            .iter()
            .position(|source| source.ident == *head)
            .map_or(Origin::Unknown, Origin::Source)
    }

    fn call(&mut self, path: usize, call: Call, report: &mut Report) {
        if call.bare {
            p005_unknown_stage::report_bare(&call.name, report);
            self.chain.holes = true;
            return;
        }
        let name = call.name.to_string();
        let ended = !self.is_open(path);
        if ended {
            if let Some(path) = self.chain.paths.get_mut(path) {
                path.behind_end.push(call.name);
            }
            return;
        }
        match name.as_str() {
            "to" => self.to(path, call, report),
            "discard" => self.discard(path, call, report),
            "named" => self.named(path, call, report),
            "or_skip" | "or_stop" | "or_to" => self.policy(path, call, report),
            "tee" | "split" | "split_on" => {
                let help = if name == "tee" {
                    "write `let (a, b) = path.tee();`".to_owned()
                } else {
                    format!("write `match path.{name}(..) {{ .. }}`")
                };
                let message = format!("`{name}` cannot stand here");
                report.push_with(call.name.span(), &P005, message, help);
                self.chain.holes = true;
            }
            _ => self.stage(path, call, report),
        }
    }

    fn to(&mut self, path: usize, call: Call, report: &mut Report) {
        let Some(sink) = sink_name(&call, report) else {
            self.chain.holes = true;
            return;
        };
        let index = self.sink(&sink);
        self.end(path, End::To { token: call.name, sink, index, node: 0 });
    }

    fn discard(&mut self, path: usize, call: Call, report: &mut Report) {
        let reason = match call.args.as_slice() {
            [expr] => text_of(expr).map(|text| text.value()),
            _ => None,
        };
        if reason.is_none() {
            report.push_with(
                call.name.span(),
                &P005,
                "`discard` takes a reason",
                "write `.discard(\"heartbeat\")`, so that the report can say why",
            );
        }
        let reason = reason.unwrap_or_default();
        self.end(path, End::Discard { token: call.name, reason, node: 0 });
    }

    fn named(&mut self, path: usize, call: Call, report: &mut Report) {
        let text = match call.args.as_slice() {
            [expr] => text_of(expr),
            _ => None,
        };
        let stage = self
            .chain
            .paths
            .get_mut(path)
            .and_then(|path| path.stages.last_mut());
        match (text, stage) {
            (Some(text), Some(stage)) => stage.named = Some(text),
            (None, _) => report.push_with(
                call.name.span(),
                &P005,
                "`named` takes a label",
                "write `.named(\"label\")`",
            ),
            (_, None) => report.push_with(
                call.name.span(),
                &P005,
                "`named` stands behind the stage it names",
                "move it behind a stage of this path",
            ),
        }
    }

    fn policy(&mut self, path: usize, call: Call, report: &mut Report) {
        let kind = match call.name.to_string().as_str() {
            "or_skip" if call.args.is_empty() => PolicyKind::Skip,
            "or_stop" if call.args.is_empty() => PolicyKind::Stop,
            "or_to" => {
                match sink_name(&call, report) {
                    Some(sink) => {
                        let index = self.sink(&sink);
                        PolicyKind::To(sink, index)
                    }
                    // It is a policy, whatever it says.
                    None => {
                        self.chain.holes = true;
                        PolicyKind::Stop
                    }
                }
            }
            name => {
                report.push_with(
                    call.name.span(),
                    &P005,
                    format!("`{name}` takes nothing"),
                    format!("write `.{name}()`"),
                );
                if name == "or_skip" { PolicyKind::Skip } else { PolicyKind::Stop }
            }
        };
        let stage = self
            .chain
            .paths
            .get_mut(path)
            .and_then(|path| path.stages.last_mut());
        match stage {
            Some(stage) if stage.fallible && stage.policy.is_none() => {
                stage.policy = Some(Policy { token: call.name, kind });
            }
            Some(stage) => stage.idle_policies.push(call.name),
            None => report.push_with(
                call.name.span(),
                &P021,
                format!("`.{}(..)` stands behind no stage of this path", call.name),
                "put it directly behind the stage that can fail",
            ),
        }
    }

    fn stage(&mut self, path: usize, call: Call, report: &mut Report) {
        let name = call.name.to_string();
        let Some((kind, fallible)) = kind_of(&name, call.args.len()) else {
            p005_unknown_stage::report(&call.name, report);
            self.chain.holes = true;
            return;
        };
        if matches!(kind, Kind::Apply | Kind::Dedup | Kind::Sample | Kind::SampleBy) {
            self.remembering(path, kind, call, report);
            return;
        }
        let takes_operator = !matches!(kind, Kind::Decode | Kind::Raw);
        if call.args.len() != usize::from(takes_operator) {
            let (takes, help) = if takes_operator {
                ("one operator", format!("write `.{name}(function)`"))
            } else {
                ("nothing", format!("write `.{name}()`"))
            };
            report.push_with(call.name.span(), &P005, format!("`{name}` takes {takes}"), help);
        }
        let operator = if takes_operator { call.args.into_iter().next() } else { None };
        let before = self.fan_out_before(operator.as_ref(), report);
        let operator = self.operator(operator, &call.name, report);
        let fan_out = before.or_else(|| self.fan_out_of(operator.as_ref()?));
        if let Some(path) = self.chain.paths.get_mut(path) {
            path.stages.push(Stage {
                kind,
                fallible,
                token: call.name,
                operator,
                made: None,
                fan_out,
                numbers: Vec::new(),
                policy: None,
                questioned: call.questioned,
                idle_policies: Vec::new(),
                named: None,
                node: 0,
            });
        }
    }

    /// A stage with a memory of its own, or with numbers.
    fn remembering(&mut self, path: usize, kind: Kind, call: Call, report: &mut Report) {
        let Call { name, args, questioned, .. } = call;
        let missing = |arg: &Expr| matches!(arg, Expr::Path(path) if path.path.is_ident(MISSING));
        if args.iter().any(missing) {
            self.chain.holes = true;
            return;
        }
        let (keys, numbers, takes, help) = match kind {
            Kind::Dedup => (1, 1, "a key and a size", ".dedup(|e| e.id, 65_536)"),
            Kind::Sample => (0, 2, "two numbers", ".sample(1, 100)"),
            Kind::SampleBy => (1, 2, "a key and two numbers", ".sample_by(|e| e.id, 1, 100)"),
            _ => (1, 0, "one operator", ".apply(Operator)"),
        };
        if args.len() != keys + numbers {
            let message = format!("`{name}` takes {takes}");
            report.push_with(name.span(), &P005, message, format!("write `{help}`"));
            self.chain.holes = true;
            return;
        }
        let mut args = args.into_iter();
        let key = if keys == 1 { args.next() } else { None };
        let (operator, made, fan_out) = match kind {
            Kind::Apply => {
                let made = key.and_then(|key| made::read(key, self.pipeline, report));
                let fan_out = made
                    .as_ref()
                    .and_then(|made| made.options.fan_out.as_deref().cloned());
                (None, made, fan_out)
            }
            _ => {
                let before = self.fan_out_before(key.as_ref(), report);
                let operator = self.operator(key, &name, report);
                let fan_out = before.or_else(|| self.fan_out_of(operator.as_ref()?));
                (operator, None, fan_out)
            }
        };
        if kind == Kind::Apply && made.is_none() {
            self.chain.holes = true;
        }
        let numbers: Vec<Expr> = args
            .filter(|number| made::is_constant(number, &name, self.pipeline, report))
            .collect();
        if let Some(path) = self.chain.paths.get_mut(path) {
            path.stages.push(Stage {
                kind,
                fallible: false,
                token: name,
                operator,
                made,
                fan_out,
                numbers,
                policy: None,
                questioned,
                idle_policies: Vec::new(),
                named: None,
                node: 0,
            });
        }
    }

    fn operator(
        &mut self,
        expr: Option<Expr>,
        stage: &Ident,
        report: &mut Report,
    ) -> Option<Operator> {
        match expr? {
            Expr::Path(path) if path.path.is_ident(MISSING) => {
                self.chain.holes = true;
                None
            }
            Expr::Path(mut path) => {
                path.attrs.clear();
                let function = path.path.get_ident().and_then(|ident| {
                    self.pipeline
                        .functions
                        .iter()
                        .position(|function| function.ident == *ident)
                });
                Some(match function {
                    Some(index) => Operator::Function(index, path),
                    None => Operator::Path(path),
                })
            }
            Expr::Closure(mut closure) => {
                let options = OpOptions::read(&closure.attrs, report);
                closure
                    .attrs
                    .retain(|attribute| !attribute.path().is_ident("op"));
                Some(Operator::Closure(closure, options))
            }
            Expr::Paren(expr) => self.operator(Some(*expr.expr), stage, report),
            Expr::Group(expr) => self.operator(Some(*expr.expr), stage, report),
            Expr::Call(call) => {
                let written = crate::text::of(&call.func);
                report.push_with(
                    crate::ast::first_span(&call),
                    &P006,
                    format!("`{stage}` takes an operator, not what one returns"),
                    format!("write `.{stage}({written})`"),
                );
                self.chain.holes = true;
                None
            }
            other => {
                report.push_with(
                    crate::ast::first_span(&other),
                    &P006,
                    format!("this is no operator for `{stage}`"),
                    "an operator is a function of the module, a path, or a closure",
                );
                self.chain.holes = true;
                None
            }
        }
    }

    /// The limit in `#[op(..)]` before a path; a function of the module carries its own.
    fn fan_out_before(&self, expr: Option<&Expr>, report: &mut Report) -> Option<FanOut> {
        let Some(Expr::Path(path)) = expr else { return None };
        let attribute = path
            .attrs
            .iter()
            .find(|attribute| attribute.path().is_ident("op"))?;
        let function = path
            .path
            .get_ident()
            .filter(|name| self.pipeline.functions.iter().any(|of| of.ident == **name));
        if let Some(name) = function {
            report.push_with(
                crate::ast::first_span(attribute.path()),
                &P066,
                "`#[op]` cannot stand here",
                format!("it belongs on `fn {name}`"),
            );
            return None;
        }
        FanOut::before_path(attribute, report)
    }

    /// The limit that an operator carries.
    fn fan_out_of(&self, operator: &Operator) -> Option<FanOut> {
        let options = match operator {
            Operator::Closure(_, options) => options,
            operator => &self.pipeline.function(operator)?.options,
        };
        options.fan_out.as_deref().cloned()
    }

    fn sink(&self, name: &Ident) -> Option<usize> {
        self.pipeline
            .sinks
            .iter()
            .position(|sink| sink.ident == *name)
    }

    fn stream(&mut self, name: Ident, kind: StreamKind) -> usize {
        self.chain
            .streams
            .push(Stream { name, kind, uses: Vec::new() });
        self.chain.streams.len() - 1
    }

    fn bind(&mut self, stream: usize) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.push(stream);
        }
    }

    fn is_open(&self, path: usize) -> bool {
        self.chain
            .paths
            .get(path)
            .is_some_and(|path| matches!(path.end, End::Open))
    }

    fn end(&mut self, path: usize, end: End) {
        if let Some(path) = self.chain.paths.get_mut(path) {
            if matches!(path.end, End::Open) {
                path.end = end;
            } else {
                let behind = match end {
                    End::Tee { token, .. } => Some(token),
                    End::Split(split) => Some(split.token),
                    _ => None,
                };
                path.behind_end.extend(behind);
            }
        }
    }
}

/// The stage that `name` is, and whether it can fail.
fn kind_of(name: &str, args: usize) -> Option<(Kind, bool)> {
    Some(match name {
        "decode" if args == 0 => (Kind::Decode, true),
        "decode" => (Kind::DecodeWith, true),
        "raw" => (Kind::Raw, false),
        "filter" => (Kind::Filter, false),
        "map" => (Kind::Map, false),
        "filter_map" => (Kind::FilterMap, false),
        "flat_map" => (Kind::FlatMap, false),
        "inspect" => (Kind::Inspect, false),
        "try_filter" => (Kind::Filter, true),
        "try_map" => (Kind::Map, true),
        "try_filter_map" => (Kind::FilterMap, true),
        "try_flat_map" => (Kind::FlatMap, true),
        "apply" => (Kind::Apply, false),
        "dedup" => (Kind::Dedup, false),
        "sample" => (Kind::Sample, false),
        "sample_by" => (Kind::SampleBy, false),
        _ => return None,
    })
}

fn sink_name(call: &Call, report: &mut Report) -> Option<Ident> {
    if let [Expr::Path(path)] = call.args.as_slice()
        && let Some(ident) = path.path.get_ident()
    {
        return Some(ident.clone());
    }
    if matches!(call.args.as_slice(), [Expr::Path(path)] if path.path.is_ident(MISSING)) {
        return None;
    }
    let name = &call.name;
    report.push_with(
        name.span(),
        &P005,
        format!("`{name}` takes the name of a sink"),
        format!("write `.{name}(lines)` with the name of a `#[sink]`"),
    );
    None
}

fn text_of(expr: &Expr) -> Option<LitStr> {
    match expr {
        Expr::Lit(lit) => match &lit.lit {
            Lit::Str(text) => Some(text.clone()),
            _ => None,
        },
        _ => None,
    }
}

/// The names `pat` binds, each once. An upper-case name is a constant or a unit variant.
pub(crate) fn bindings(pat: &Pat, into: &mut Vec<Ident>) {
    match pat {
        Pat::Ident(pat) => {
            let text = names::plain(&pat.ident);
            let binds = !text.starts_with(char::is_uppercase);
            if binds && !into.contains(&pat.ident) {
                into.push(pat.ident.clone());
            }
            if let Some((_, pat)) = &pat.subpat {
                bindings(pat, into);
            }
        }
        Pat::Or(pat) => pat.cases.iter().for_each(|pat| bindings(pat, into)),
        Pat::Paren(pat) => bindings(&pat.pat, into),
        Pat::Reference(pat) => bindings(&pat.pat, into),
        Pat::Slice(pat) => pat.elems.iter().for_each(|pat| bindings(pat, into)),
        Pat::Struct(pat) => pat
            .fields
            .iter()
            .for_each(|field| bindings(&field.pat, into)),
        Pat::Tuple(pat) => pat.elems.iter().for_each(|pat| bindings(pat, into)),
        Pat::TupleStruct(pat) => pat.elems.iter().for_each(|pat| bindings(pat, into)),
        Pat::Guard(pat) => bindings(&pat.pat, into),
        _ => {}
    }
}

/// Whether a module with this scope can have a function called `name` that is not seen here.
pub(crate) fn may_come_from_elsewhere(scope: &Scope, name: &str) -> bool {
    scope.globs || scope.declares(name)
}
