//! Builds every fixture and compares what the compiler says.

#[test]
fn every_mistake_is_named_at_its_token_and_every_twin_builds() {
    let fixtures = trybuild::TestCases::new();
    fixtures.pass("pass/*.rs");
    fixtures.compile_fail("fail/*.rs");
}
