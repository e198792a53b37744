//! The chain as written.
//!
//! ```text
//! chain     := "chain!(" (name ("::" "<" type "," type ">")? ",")? body ")"
//! body      := "{" statement* tail? "}"
//! statement := "let" name "=" path ";" | "let" "(" name, .. ")" "=" path ".tee()" ";" | path ";" | match
//! path      := name ("." stage "(" argument, .. ")")*
//! match     := "match" path ("." "split" "()" | "." "split_on" "(" operator ")") "{" arm* "}"
//! arm       := pattern ("if" guard)? "=>" (path | body | match)
//! ```

use proc_macro2::{Ident, Span, TokenStream};
use syn::parse::{Parse, ParseStream, Parser as _};
use syn::spanned::Spanned as _;
use syn::{Attribute, Block, Expr, ExprMatch, ItemMacro, Pat, Stmt, Token, Type};

use super::tolerant;
use crate::check::{P005, P024, P031, P066};
use crate::report::Report;

/// One `chain!(..)`.
pub(crate) struct ChainAst {
    pub(crate) cfgs: Vec<Attribute>,
    /// The word `chain`.
    pub(crate) token: Ident,
    pub(crate) name: Option<Ident>,
    pub(crate) contract: Option<Contract>,
    pub(crate) body: Body,
}

/// `::<In, Out>` behind the chain's name.
pub(crate) struct Contract {
    pub(crate) takes: Type,
    pub(crate) gives: Type,
}

/// Statements in order.
pub(crate) struct Body {
    pub(crate) statements: Vec<Statement>,
}

/// One statement.
pub(crate) enum Statement {
    /// `let name = path;`
    Let { name: Ident, path: PathAst },
    /// `let (a, b) = path;`
    Tuple { names: Vec<Ident>, span: Span, path: PathAst },
    /// `path;`
    Path(PathAst),
    /// `match path { .. }`
    Match(MatchAst),
    /// A `let` whose path is not of the grammar; a finding says so.
    Unread { names: Vec<Ident> },
    /// Not of the grammar; a finding says so.
    Broken,
}

/// A stream's or source's name, and what is called on it.
pub(crate) struct PathAst {
    pub(crate) head: Ident,
    pub(crate) calls: Vec<Call>,
}

/// One `.stage(..)`.
pub(crate) struct Call {
    pub(crate) name: Ident,
    pub(crate) args: Vec<Expr>,
    /// Whether a `?` stands behind it.
    pub(crate) questioned: bool,
    /// Whether it has no brackets (yet): someone is typing.
    pub(crate) bare: bool,
}

/// A split.
pub(crate) struct MatchAst {
    pub(crate) token: Token![match],
    pub(crate) path: PathAst,
    pub(crate) arms: Vec<ArmAst>,
}

/// One case of a split.
pub(crate) struct ArmAst {
    pub(crate) attrs: Vec<Attribute>,
    pub(crate) pat: Pat,
    pub(crate) guard: Option<Expr>,
    pub(crate) body: Body,
    /// Where findings about its body point.
    pub(crate) body_span: Span,
    /// Where its body ends.
    pub(crate) body_end: Span,
}

/// What stands between the brackets of `chain!(..)`.
struct Parsed {
    name: Option<Ident>,
    contract: Option<Contract>,
    /// What stands between the braces.
    body: TokenStream,
}

impl Parse for Parsed {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut parsed = None;
        if !input.peek(syn::token::Brace) {
            let name = input.parse::<Ident>()?;
            let mut contract = None;
            if input.peek(Token![::]) {
                input.parse::<Token![::]>()?;
                input.parse::<Token![<]>()?;
                let takes = input.parse()?;
                input.parse::<Token![,]>()?;
                let gives = input.parse()?;
                input.parse::<Option<Token![,]>>()?;
                input.parse::<Token![>]>()?;
                contract = Some(Contract { takes, gives });
            }
            input.parse::<Token![,]>()?;
            parsed = Some((name, contract));
        }
        let content;
        syn::braced!(content in input);
        let body = content.parse()?;
        input.parse::<Option<Token![,]>>()?;
        let (name, contract) =
            parsed.map_or((None, None), |(name, contract)| (Some(name), contract));
        Ok(Self { name, contract, body })
    }
}

impl ChainAst {
    /// Reads one `chain!(..)`; `None` if it could not be read and a finding says why.
    pub(crate) fn read(item: &ItemMacro, report: &mut Report) -> Option<Self> {
        let token = item.mac.path.get_ident()?.clone();
        let cfgs = super::cfgs(&item.attrs);
        let mut chain = None;
        report.under(&cfgs.clone(), |report| {
            match syn::parse2::<Parsed>(item.mac.tokens.clone()) {
                Err(error) => report.push_with(
                    error.span(),
                    &P066,
                    format!("the chain cannot be read here: {error}"),
                    "a chain is `chain!(name, { .. });`",
                ),
                Ok(parsed) => {
                    let Parsed { name, contract, body } = parsed;
                    let body = match Block::parse_within.parse2(body.clone()) {
                        Ok(stmts) => Body::read(stmts, report),
                        Err(error) => tolerant::body(body, &error, report),
                    };
                    chain = Some(Self { cfgs, token, name, contract, body });
                }
            }
        });
        chain
    }

    /// Where findings about the whole chain point.
    pub(crate) fn span(&self) -> Span {
        self.name
            .as_ref()
            .map_or_else(|| self.token.span(), Ident::span)
    }
}

impl Body {
    pub(super) fn read(stmts: Vec<Stmt>, report: &mut Report) -> Self {
        let statements = stmts
            .into_iter()
            .filter(|stmt| !is_empty(stmt))
            .map(|stmt| Statement::read(stmt, report).unwrap_or(Statement::Broken))
            .collect();
        Self { statements }
    }
}

/// A semicolon by itself.
fn is_empty(stmt: &Stmt) -> bool {
    matches!(stmt, Stmt::Expr(Expr::Verbatim(tokens), _) if tokens.is_empty())
}

/// What a `macro_rules!` of the user put in, without the brackets that nobody wrote.
fn ungrouped(expr: Expr) -> Expr {
    match expr {
        Expr::Group(group) => ungrouped(*group.expr),
        other => other,
    }
}

const STATEMENTS: &str =
    "a chain is made of `let name = path;`, paths that end, and `match` on a split";

impl Statement {
    fn read(stmt: Stmt, report: &mut Report) -> Option<Self> {
        match stmt {
            Stmt::Local(local) => {
                let span = super::first_span(&local.pat);
                let Some(init) = local.init else {
                    report.push_with(
                        span,
                        &P066,
                        "`let` without a path",
                        "write `let name = path;`",
                    );
                    return None;
                };
                let path = PathAst::read(*init.expr, report);
                let names = names_of(&local.pat);
                match (&local.pat, names) {
                    (Pat::Ident(_), Some(names)) => {
                        let Some(path) = path else { return Some(Self::Unread { names }) };
                        let name = names.into_iter().next()?;
                        Some(Self::Let { name, path })
                    }
                    (Pat::Tuple(_), Some(names)) => Some(match path {
                        Some(path) => Self::Tuple { names, span, path },
                        None => Self::Unread { names },
                    }),
                    _ => {
                        report.push_with(
                            span,
                            &P066,
                            "`let` in a chain binds a name",
                            "write `let name = path;`, or `let (a, b) = path.tee();`",
                        );
                        None
                    }
                }
            }
            Stmt::Expr(expr, _) => Self::of_expr(expr, report),
            Stmt::Item(item) => {
                report.push_with(
                    super::first_span(&item),
                    &P066,
                    "an item cannot stand in a chain",
                    "move it out of `chain!(..)`, into the module",
                );
                None
            }
            Stmt::Macro(stmt) => {
                report.push_with(
                    super::first_span(&stmt.mac.path),
                    &P066,
                    "a macro cannot stand in a chain",
                    STATEMENTS,
                );
                None
            }
        }
    }

    fn of_expr(expr: Expr, report: &mut Report) -> Option<Self> {
        match expr {
            Expr::Match(expr) => MatchAst::read(expr, report).map(Self::Match),
            Expr::Paren(expr) => Self::of_expr(*expr.expr, report),
            Expr::Group(expr) => Self::of_expr(*expr.expr, report),
            other => PathAst::read(other, report).map(Self::Path),
        }
    }
}

fn names_of(pat: &Pat) -> Option<Vec<Ident>> {
    match pat {
        Pat::Ident(pat) if pat.subpat.is_none() && pat.by_ref.is_none() => {
            Some(vec![pat.ident.clone()])
        }
        Pat::Tuple(tuple) => tuple
            .elems
            .iter()
            .map(|pat| match pat {
                Pat::Ident(_) => names_of(pat)?.into_iter().next(),
                _ => None,
            })
            .collect(),
        _ => None,
    }
}

impl PathAst {
    pub(super) fn read(expr: Expr, report: &mut Report) -> Option<Self> {
        match expr {
            Expr::Path(path) => {
                if let Some(head) = path.path.get_ident() {
                    return Some(Self { head: head.clone(), calls: Vec::new() });
                }
                report.push_with(
                    super::first_span(&path),
                    &P066,
                    "a path begins with a source or a stream",
                    "write the name of a `#[source]`, or of a stream bound by `let`",
                );
                None
            }
            Expr::MethodCall(call) => {
                let mut path = Self::read(*call.receiver, report)?;
                if let Some(turbofish) = &call.turbofish {
                    report.push_with(
                        turbofish.lt_token.span,
                        &P005,
                        format!("`{}` takes no types", call.method),
                        "leave them out: the operator says what it takes and gives",
                    );
                }
                let args = call.args.into_iter().map(ungrouped).collect();
                path.calls
                    .push(Call { name: call.method, args, questioned: false, bare: false });
                Some(path)
            }
            Expr::Field(syn::ExprField { base, member: syn::Member::Named(name), .. }) => {
                let mut path = Self::read(*base, report)?;
                path.calls
                    .push(Call { name, args: Vec::new(), questioned: false, bare: true });
                Some(path)
            }
            Expr::Try(expr) => {
                report.push(
                    expr.question_token.span(),
                    &P024,
                    "`?` has no caller to return to here",
                );
                let mut path = Self::read(*expr.expr, report)?;
                if let Some(call) = path.calls.last_mut() {
                    call.questioned = true;
                }
                Some(path)
            }
            Expr::Await(expr) => {
                report.push(
                    expr.await_token.span(),
                    &P031,
                    "a chain runs inside a synchronous loop, `.await` cannot stand in it",
                );
                Self::read(*expr.base, report)
            }
            Expr::Paren(expr) => Self::read(*expr.expr, report),
            Expr::Group(expr) => Self::read(*expr.expr, report),
            Expr::If(expr) => {
                report.push_with(
                    expr.if_token.span(),
                    &P066,
                    "`if` cannot stand in a chain",
                    "use `.filter(..)`, or `match name.split_on(..) { true => .., false => .. }`",
                );
                None
            }
            other => {
                report.push_with(super::first_span(&other), &P066, "this is no path", STATEMENTS);
                None
            }
        }
    }
}

impl MatchAst {
    fn read(expr: ExprMatch, report: &mut Report) -> Option<Self> {
        let arms = expr
            .arms
            .into_iter()
            .map(|arm| ArmAst::read(arm, report))
            .collect();
        let path = PathAst::read(*expr.expr, report)?;
        Some(Self { token: expr.match_token, path, arms })
    }
}

impl ArmAst {
    pub(super) fn read(arm: syn::Arm, report: &mut Report) -> Self {
        let body_span = super::first_span(&arm.body);
        let body_end = super::last_span(&arm.body);
        let mut body = Body { statements: Vec::new() };
        report.under(&super::cfgs(&arm.attrs), |report| {
            body = match *arm.body {
                Expr::Block(block) => Body::read(block.block.stmts, report),
                Expr::Tuple(tuple) if tuple.elems.is_empty() => Body { statements: Vec::new() },
                other => {
                    let statement = Statement::of_expr(other, report);
                    Body { statements: vec![statement.unwrap_or(Statement::Broken)] }
                }
            };
        });
        let (pat, guard) = match arm.pat {
            Pat::Guard(guard) => (*guard.pat, Some(*guard.guard)),
            pat => (pat, None),
        };
        Self { attrs: arm.attrs, pat, guard, body, body_span, body_end }
    }
}
