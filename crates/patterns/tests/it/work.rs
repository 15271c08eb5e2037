//! Sources that would make a careless analyser slow. Work is counted in steps, never in time.

use patterns::analysis::{Analysis, Config, MAX_PAYLOAD, Refusal, analyse};

fn repeated(part: &str, bytes: usize) -> String {
    part.repeat(bytes / part.len())
}

/// One function around many copies of a part.
fn around(head: &str, part: &str, tail: &str, bytes: usize) -> String {
    format!(
        "{head}{}{tail}",
        repeated(part, bytes - head.len() - tail.len())
    )
}

/// Parts that rules look at closely, many in one function and many beside each other.
const PARTS: &[(&str, &str, &str, &[&str])] = &[
    (
        "a.ts",
        "server.tool('t', async (args, url) => {\n",
        "});\n",
        &[
            "x(()=>{fetch(u)});",
            "await fetch(url, {});\n",
            "const a = await res.text(); throw new Error(`x ${a}`);\n",
            "try { a() } catch {}\n",
            "try { a() } catch (e) { return { content: [{ type: 'text', text: `${e}` }] }; }\n",
            "clearTimeout(t); await r.json();\n",
            "p().catch(() => {});\n",
            "await Promise.race([a, timeout()]);\n",
            "await Promise.allSettled(xs);\n",
            "console.log(apiKey);\n",
            "dns.lookup(h);\n",
            "// fingerpost-ignore swallowed-error: no reason\n",
            "const u = 'https://x/?key=' + key;\n",
            "(args.x as Foo);\n",
            "while (true) { try { await fetch(u) } catch (e) { attempt++ } }\n",
            "await sleep(2 ** attempt);\n",
            "execSync(`ls ${url}`);\n",
        ],
    ),
    (
        "a.py",
        "import requests\nimport aiohttp\n@mcp.tool()\nasync def t(url, args):\n  if url:\n    pass\n",
        "\n",
        &[
            "  x(lambda: requests.get(url))\n",
            "  session.get(url)\n",
            "  r = resp.read()\n",
            "  try:\n    a = int(x)\n  except Exception as e:\n    return f'failed {e}'\n",
            "  try:\n    a = int(x)\n  except ValueError:\n    a = 10\n",
            "  try:\n    a()\n  except:\n    pass\n",
            "  raise Exception(f'{url} {body}')\n",
            "  body = response.text\n  raise ValueError(f'x {body}')\n",
            "  await asyncio.wait_for(session.get(url), 3)\n  await r.text()\n",
            "  await asyncio.gather(*xs, return_exceptions=True)\n",
            "  print(api_key)\n",
            "  assert url\n",
            "  time.sleep(2 ** attempt)\n",
            "  socket.getaddrinfo(h, 1)\n",
            "  subprocess.run(f'ls {url}', shell=True)\n",
            "  # fingerpost-ignore bare-except: no reason\n",
        ],
    ),
    (
        "a.go",
        "package a\nimport \"os\"\nfunc t(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {\n",
        "}\n",
        &[
            "x(func() { http.Get(u) })\n",
            "client.Do(r)\n",
            "if err != nil { return nil, nil }\n",
            "if err != nil { return mcp.NewToolResultText(err.Error()), nil }\n",
            "b, _ := io.ReadAll(r.Body)\nreturn nil, fmt.Errorf(\"x %s\", b)\n",
            "context.Background()\n",
            "go f()\ncontext.Background()\n",
            "a := args[\"x\"].(string)\n",
            "b, ok := args[\"x\"].(string)\n",
            "fmt.Println(apiKey)\n",
            "net.LookupIP(h)\n",
            "time.Sleep(1 << attempt)\n",
            "if err == ErrX { panic(err) }\n",
        ],
    ),
    (
        "a.rs",
        "#[tool]\nasync fn t(url: String, args: Args) -> Result<CallToolResult, McpError> {\nuse reqwest; use tokio;\n",
        "}\n",
        &[
            "x(|| client.get(u).send());\n",
            "reqwest::get(u).await;\n",
            "a.map_err(|e| format!(\"{e}\"));\n",
            "let b = r.text().await; return Err(format!(\"x {b}\"));\n",
            "timeout(d, client.get(u).send()).await; r.text().await;\n",
            "match a { Err(e) => vec![], Ok(a) => a };\n",
            "a.unwrap();\n",
            "println!(\"{api_key}\");\n",
            "tokio::time::sleep(1 << attempt).await;\n",
            "lookup_host(h).await;\n",
            "a.b().b().b().b().b().b();\n",
            "x.parse().unwrap_or(1);\n",
        ],
    ),
];

fn outcome(name: &str, text: &str) -> Result<Analysis, Refusal> {
    analyse(name, text, &Config::default())
}

#[test]
fn the_work_grows_like_the_source_for_every_part_that_rules_look_at() {
    for (name, head, tail, parts) in PARTS {
        for part in *parts {
            let steps = |bytes: usize| {
                let text = around(head, part, tail, bytes);
                let analysis = outcome(name, &text).unwrap_or_else(|refusal| {
                    panic!("{name}: {bytes} bytes of {part:?} are refused: {refusal:?}")
                });
                analysis.steps
            };
            let (half, whole) = (steps(MAX_PAYLOAD / 16), steps(MAX_PAYLOAD / 8));
            assert!(
                whole < half * 5 / 2,
                "{name}: twice as much of {part:?} takes {half} and {whole} steps"
            );
        }
    }
}

/// What can be nested: what opens and closes a level.
const NESTS: &[(&str, &str, &str)] = &[
    (
        "a.ts",
        "try{fetch(u);",
        "}catch(e){return{content:[{type:'text',text:`${e}`}]}}",
    ),
    ("a.ts", "while(true){fetch(u);attempt++;try{}catch{}", "}"),
    ("a.ts", "Promise.all(xs.map(x=>", "));"),
    ("a.ts", "throw new Error(`${", "}`)"),
    ("a.ts", "f(()=>{fetch(u);clearTimeout(t);r.json();", "});"),
    ("a.ts", "if(a){console.log(apiKey);", "}"),
    ("a.ts", "'?key='+key+(", ")"),
    ("a.ts", "({a:", "})"),
    ("a.ts", "a.catch(e=>{", "})"),
    ("a.ts", "log.info(", ")"),
    ("a.py", "print(api_key, ", ")"),
    ("a.py", "f'{", "}'"),
    ("a.py", "(lambda a: requests.get(a, ", "))"),
    ("a.py", "asyncio.wait_for(session.get(", "))"),
    ("a.py", "str(e)[", "]"),
    ("a.py", "{'a': ", "}"),
    (
        "a.go",
        "func(){ if err != nil { return nil, fmt.Errorf(\"%v\", err) }; ",
        "}()",
    ),
    (
        "a.go",
        "for { client.Do(r); if err != nil { attempt++ }; ",
        "}",
    ),
    ("a.go", "log.Println(apiKey, ", ")"),
    ("a.go", "if f(func() bool {", "}()) != nil { err }"),
    ("a.go", "args[x.", "].(string)"),
    ("a.rs", "x.map_err(|e| format!(\"{e}\", ", "))"),
    (
        "a.rs",
        "loop { reqwest::get(u); match a { Err(e) => attempt, _ => ",
        "} }",
    ),
    ("a.rs", "println!(\"{api_key}\", ", ")"),
    ("a.rs", "timeout(client.get(u).send(", "))"),
    ("a.rs", "if let Err(e) = a { ", "}"),
];

/// Chains, which nest to the left.
const CHAINS: &[(&str, &str)] = &[
    ("a.ts", ".a(x)"),
    ("a.ts", "+'&key='+key"),
    ("a.ts", ".catch(()=>{})"),
    ("a.ts", " || parseInt(a) || 1"),
    ("a.py", ".get(x)"),
    ("a.py", " + '&key=' + key"),
    ("a.py", "[x]"),
    ("a.go", ".Do(x)"),
    ("a.go", " + key"),
    ("a.go", ".(string)"),
    ("a.rs", ".get(u).send()"),
    ("a.rs", ".unwrap_or(1)"),
    ("a.rs", ".arg(\"-c\")"),
];

/// The most steps that a source of this size may take, with room for how it is counted.
fn is_bounded(name: &str, text: &str) -> bool {
    match outcome(name, text) {
        Ok(analysis) => analysis.steps <= 20_000_000 + 2_000 * text.len() as u64,
        Err(refusal) => matches!(refusal, Refusal::TooMuchWork | Refusal::Unparsed(_)),
    }
}

#[test]
fn deep_and_wide_sources_end_in_bounded_work() {
    let size = MAX_PAYLOAD / 8;
    for depth in [20, 250] {
        for (name, open, close) in NESTS {
            let nest = format!("{}x{}\n", open.repeat(depth), close.repeat(depth));
            let text = repeated(&nest, size.max(nest.len()));
            assert!(is_bounded(name, &text), "{name}: {depth} times {open:?}");
        }
        for (name, link) in CHAINS {
            let chain = format!("x{}\n", link.repeat(depth));
            let text = repeated(&chain, size.max(chain.len()));
            assert!(is_bounded(name, &text), "{name}: {depth} times {link:?}");
        }
    }
    for (name, list) in [
        ("a.ts", "function f("),
        ("a.ts", "const {"),
        ("a.py", "def f("),
        ("a.go", "func f("),
        ("a.rs", "fn f("),
        ("a.rs", "f!("),
    ] {
        let text = format!("{list}{}", repeated("a,", size));
        assert!(
            is_bounded(name, &text),
            "{name}: a long list after {list:?}"
        );
    }
}

#[test]
fn a_call_in_a_closure_100_kilobytes_long_is_analysed_in_every_language() {
    for (name, head, tail, parts) in PARTS {
        let text = around(head, parts[0], tail, MAX_PAYLOAD);
        let refusal = outcome(name, &text).err();
        assert_eq!(refusal, None, "{name}: ordinary calls, however many");
    }
}

#[test]
fn what_takes_too_much_work_is_refused_the_same_each_time() {
    let chain = format!("x{};\n", ".a(x)".repeat(200));
    let text = repeated(&chain, MAX_PAYLOAD);
    for _ in 0..2 {
        assert_eq!(outcome("a.ts", &text).err(), Some(Refusal::TooMuchWork));
    }
    let part = repeated(&chain, MAX_PAYLOAD / 50);
    assert!(outcome("a.ts", &part).is_ok(), "a part of it passes");
}
