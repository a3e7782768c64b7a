//! Custom tools: `tools/*.toml`.

use crate::support::Project;

fn tool(name: &str, scope: &str) -> String {
    format!(
        "name = \"{name}\"\nline = \"Gets a report.\"\ncategory = \"observe\"\n\n[arguments.city]\ntype = \"string\"\n\
         description = \"The city.\"\n\n{scope}\n[http]\nmethod = \"GET\"\nbase_url = \"https://weather.example\"\n\
         path = \"/reports/{{city}}\"\n"
    )
}

const SCOPE: &str = "[scope.allowed_cities]\ncheck = \"pattern\"\nargument = \"city\"\n";

#[test]
fn two_of_three_are_registered_and_the_third_is_reported() {
    let project = Project::empty();
    project.configure(
        "[roles.reader]\nprofiles = [\"weather\"]\n[profiles.weather]\ntools = [\"service:weather\"]\n\
         [[profiles.weather.scopes]]\nallowed_cities = [\"Rome\"]\n",
    );
    project.write("tools/a.toml", tool("get-weather-report", SCOPE));
    project.write("tools/b.toml", tool("get-weather-history", ""));
    project.write("tools/c.toml", tool("get-weather-forecast", SCOPE));
    let listed = project.run(&["list"]).expect(0);
    let listed = listed
        .prints("get-weather-report")
        .prints("get-weather-forecast");
    let listed = listed.says("tools/b.toml:1:1").says("no `scope`");
    assert!(!listed.stdout.contains("get-weather-history"));
    let plan = |city: &str| {
        let arguments = format!("{{\"city\": \"{city}\"}}");
        let call = [
            "call",
            "get-weather-report",
            "--role",
            "reader",
            "--dry-run",
            "--args",
            &arguments,
        ];
        project.run(&call)
    };
    plan("Rome")
        .expect(0)
        .prints("https://weather.example/reports/Rome");
    plan("Paris").expect(5);
    project.run(&["matrix"]).expect(0).prints("forecast  ○get");
}
