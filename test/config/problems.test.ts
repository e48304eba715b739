import { describe, expect, test } from "bun:test"
import { failure, problems } from "./harness.ts"

test("all problems in settings are reported at once, each with its position", () => {
  const error = failure(
    `server: { prot: 1 }
limits: { body_mb: 1000 }
providers:
  Local: { vendor: openai }
  far:
    vendor: opnai
    api_key: \${NOT_SET}
    base_url: ftp://example.com
  near: { vendor: vllm }
models:
  llama: {}
  near/llama:
    deployments: [{ provider: farr }]
`,
    { TOLLGATE_PORT: "x" },
  )
  expect(error.problems.map(({ line, path }) => `${line ?? "-"} ${path}`)).toEqual([
    "1 server",
    "2 limits.body_mb",
    "4 providers",
    "6 providers.far.vendor",
    "7 providers.far.api_key",
    "8 providers.far.base_url",
    "9 providers.near",
    "11 models",
    "13 models.near/llama.deployments[0].provider",
    "- TOLLGATE_PORT",
  ])
  const [first, ...lines] = error.message.split("\n")
  expect(first).toBe("The settings have 10 problems:")
  expect(lines[0]).toEndWith(
    "tollgate.yaml:1:11: server: unknown name 'prot'. Did you mean 'port'?",
  )
  expect(lines.at(-1)).toBe("  TOLLGATE_PORT: must be a whole number from 0 to 65535")
})

test.each([
  ["server: { host: [1] }", "1:17 server.host: must be text, but is a list"],
  ["server: { host: { a: 1 } }", "1:17 server.host: must be text, but is a group of settings"],
  ["server: { host: !!binary AAAA }", "1:26 server.host: must be text, but is binary data"],
  ["server: { host: 1 }", "1:17 server.host: must be text. Put it in quotes"],
  ["defaults: { image_model: [1] }", "1:26 defaults.image_model: must be text, but is a list"],
  ["defaults: { image_model: 1 }", "1:26 defaults.image_model: must be text. Put it in quotes"],
  ["defaults: { image_model: true }", "1:26 defaults.image_model: must be text. Put it in quotes"],
  ["prices: { keys: 1 }", "1:17 prices.keys: must hold a list, not a number"],
  ["prices: { keys: { a: 1 } }", "1:17 prices.keys: must hold a list, not a group of settings"],
  ["prices: { keys: }", "1:17 prices.keys: has no value. Give it a list, or remove the line"],
])("an error about a value of the wrong type names the YAML type: %s", (text, problem) => {
  expect(problems(text)).toEqual([problem])
})

describe("the YAML check of settings", () => {
  const cases: [string, string, string][] = [
    [
      "lists in lists",
      `server: ${"[".repeat(20_000)}`,
      "1:108 : lists and mappings are nested more than 100 levels deep",
    ],
    [
      "lists in lists that are closed",
      `x-a: ${"[".repeat(20_000)}${"]".repeat(20_000)}`,
      "1:105 : lists and mappings are nested more than 100 levels deep",
    ],
    [
      "mappings in braces",
      `server: ${"{ a: ".repeat(20_000)}`,
      "1:500 : lists and mappings are nested more than 100 levels deep",
    ],
    [
      "lists on one line",
      `server:\n  ${"- ".repeat(20_000)}`,
      "2:200 : lists and mappings are nested more than 100 levels deep",
    ],
    [
      "mappings in mappings",
      Array.from({ length: 1_000 }, (_, level) => `${" ".repeat(level)}a:`).join("\n"),
      "100:101 : lists and mappings are nested more than 100 levels deep",
    ],
    [
      "a duplicate name",
      "data: a\nserver: {}\ndata: b",
      "3:1 : this name is set twice. Keep one of the two",
    ],
    [
      "a duplicate name in another form",
      "aliases:\n  1: near/llama\n  a: near/llama\n  '1': near/llama\n",
      "4:3 : this name is set twice",
    ],
    [
      "a duplicate name in braces",
      "server: { port: 1, host: a, port: 2 }",
      "1:29 : this name is set twice",
    ],
    [
      "a merge of a value without names",
      "providers: { a: { <<: 5, vendor: ollama } }",
      "1:19 : merges something other than names with values. Write <<: *name",
    ],
    [
      "a merge of a missing anchor",
      "providers: { a: { <<: [*none], vendor: ollama } }",
      "1:19 : merges something other than names with values",
    ],
    [
      "a mistake inside a merged value",
      "x-a: &a\n  vendor: olama\nproviders: { a: { <<: *a } }",
      "2:11 providers.a.vendor: is not a known vendor. Did you mean 'ollama'?",
    ],
    [
      "a merge that contains itself",
      "providers: { a: &a { vendor: ollama, <<: *a } }",
      "1:1 : the aliases (*name) expand to too many values",
    ],
    [
      "a duplicate behind an anchor",
      "providers: &all\n  a: { vendor: ollama, vendor: ollama }\nmodels: {}\n",
      "2:24 : this name is set twice",
    ],
    ["an open bracket", "server: {\n  port: 1\n", "3:1 : "],
    ["a tab", "server:\n\tport: 1", "2:1 : a tab is used as indentation. Use spaces"],
    [
      "a variable without quotes in braces",
      "providers:\n  a: { vendor: openai, api_key: ${X} }\nmodels: {}",
      '2:34 : inside braces a ${...} must be in quotes: "${NAME}"',
    ],
    ["two documents", "data: a\n---\ndata: b", "2:1 : a second document starts here"],
    ["an unknown tag", "data: !path a", "1:7 : this tag (!name) is unknown"],
    ["an alias without anchor", "data: *a", "1:7 : no anchor of this name"],
    ["a list at the top", "- a", "1:1 : must hold names with values, not a list"],
    [
      "a forbidden name",
      "providers:\n  __proto__: {}",
      "2:3 : this cannot be the name of a setting",
    ],
    ["a complex name", "? {a: b}\n: c", "1:3 : this cannot be the name"],
  ]
  for (const [name, text, expected] of cases) {
    test(`reports ${name}`, () => {
      const found = problems(text)
      expect(found).toHaveLength(1)
      expect(found[0]).toStartWith(expected)
    })
  }

  test("reports all duplicates among thousands of names, each at its position", () => {
    const names = Array.from({ length: 3_000 }, (_, index) => `  near/m${index % 2_998}: {}\n`)
    expect(problems(`models:\n${names.join("")}`).map((found) => found.split(" ", 1)[0])).toEqual([
      "3000:3",
      "3001:3",
    ])
  })

  test("rejects aliases that expand exponentially", () => {
    const lines = Array.from({ length: 9 }, (_, index) => {
      const aliases = Array.from({ length: 9 }, () => `*a${index}`).join(",")
      return `x${index + 1}: &a${index + 1} [${aliases}]`
    })
    const found = problems(["x0: &a0 [1]", ...lines].join("\n"))
    expect(found[0]).toContain("expand to too many values")
  })

  test("rejects an alias of a list that contains the alias", () => {
    expect(problems("x-a: &a [1, *a]")[0]).toContain("expand to too many values")
  })
})

describe("the variable check of settings", () => {
  test("reports the line of a variable that is not set", () => {
    expect(problems("data: a\nadmin_token: x${UNSET}")).toEqual([
      "2:14 admin_token: needs the environment variable UNSET, which is not set. Set it, or write ${UNSET:-default}",
    ])
  })

  test("reports a malformed reference", () => {
    const [problem] = problems('data: "${not closed"')
    expect(problem).toStartWith("1:7 data: holds a malformed reference")
  })

  test("replaces variables inside a list", () => {
    const text =
      "providers: { a: { vendor: ollama } }\nmodels:\n  a/b:\n    deployments:\n      - model: ${UNSET}"
    expect(problems(text)[0]).toStartWith("5:16 models.a/b.deployments[0].model: needs")
  })

  test("reports an empty variable if a value is required", () => {
    const text = 'providers: { a: { vendor: openai, api_key: "${EMPTY}" } }'
    expect(problems(text, { EMPTY: "" })[0]).toStartWith("1:44 providers.a.api_key: is empty")
  })
})

describe("the value check of settings", () => {
  const provider = "providers: { a: { vendor: ollama } }\n"
  const model = (text: string) => `${provider}models:\n  a/b: ${text}`
  const cases: [string, string][] = [
    ["servr: {}", "1:1 : unknown name 'servr'. Did you mean 'server'?"],
    ["server: 5", "1:9 server: must hold names with values, not a number"],
    [
      "defaults: { colour: red }",
      "1:13 defaults: unknown name 'colour'. Known here: image_model, translation_model",
    ],
    ["server: { port: eighty }", "1:17 server.port: must be a whole number from 0 to 65535"],
    ["server: { port: 65536 }", "1:17 server.port: must be a whole number"],
    ["metrics: { port: 9090.5 }", "1:18 metrics.port: must be a whole number"],
    ["server: { port: 80.5 }", "1:17 server.port: must be a whole number"],
    ["server: { port: 0x50 }", "1:17 server.port: must be a whole number"],
    ["server: { port: true }", "1:17 server.port: must be a number"],
    ["server: { port: }", "1:17 server.port: has no value"],
    ...[
      "proxy",
      "10.0.0.0/33",
      "10.0.0.0/0",
      "10.0.0.0/08",
      "10.0.0.0/8/8",
      "10.0.0.0/",
      "10.0.0.1:80",
      "[fd00::1]",
      "fe80::1%eth0",
      "fd00::/129",
      "::ffff:10.0.0.1",
    ].map((network): [string, string] => [
      `server: { trusted_proxies: ["${network}"] }`,
      "1:29 server.trusted_proxies[0]: must be an IP address such as 10.0.0.7, or a range such as",
    ]),
    ["server: { trusted_proxies: [] }", "1:28 server.trusted_proxies: is empty"],
    ["server: { host: 'http://a' }", "1:17 server.host: must be a host name"],
    ["server: { host: 5 }", "1:17 server.host: must be text. Put it in quotes"],
    ["server: { workers: 0 }", "1:20 server.workers: must be a whole number from 1 to 256"],
    ["limits: { body_mb: 0.5 }", "1:20 limits.body_mb: must be a number from 1 to 512"],
    ["limits: { response_mb: 0 }", "1:24 limits.response_mb: must be a number from 1 to 1024"],
    ["limits: { memory_mb: 32 }", "1:22 limits.memory_mb: must be a number from 64 to 1048576"],
    ["limits: { media_mb: 0 }", "1:21 limits.media_mb: must be a number from 1 to 512"],
    ["limits: { media_private: maybe }", "1:26 limits.media_private: must be true or false"],
    ["timeouts: { connect: soon }", "1:22 timeouts.connect: must be a length of time"],
    ["timeouts: { connect: 0 }", "1:22 timeouts.connect: must be a length of time"],
    ["timeouts: { connect: 25h }", "1:22 timeouts.connect: must be a length of time"],
    ["multiplier: -1", "1:13 multiplier: must not be negative"],
    ["multiplier: .nan", "1:13 multiplier: must be a decimal number"],
    ["multiplier: .inf", "1:13 multiplier: must be a decimal number"],
    ["multiplier: 0.1234567", "1:13 multiplier: has more than 6 digits after the point"],
    ["admin_token: a b", "1:14 admin_token: must be printable characters without spaces"],
    ["providers: []", "1:12 providers: must hold names with values, not a list"],
    ["providers: { a: }", "1:17 providers.a: has no value"],
    ["providers: { a: { vendor: } }", "1:27 providers.a.vendor: has no value"],
    ["providers: { a: {} }", "1:17 providers.a.vendor: is missing"],
    ["providers: { A_b: { vendor: ollama } }", "1:14 providers: the name of a provider must be"],
    [
      "providers: { a: { vendor: opnai } }",
      "1:27 providers.a.vendor: is not a known vendor. Did you mean 'openai'?",
    ],
    [
      "providers: { a: { vendor: xyzzy } }",
      "1:27 providers.a.vendor: is not a known vendor. Known here: openai, gemini",
    ],
    [
      "providers: { a: { vendor: vllm } }",
      "1:17 providers.a: needs a base_url: 'vllm' has no address",
    ],
    [
      "providers: { a: { vendor: ollama, base_url: localhost } }",
      "1:45 providers.a.base_url: must be an address",
    ],
    [
      "providers: { a: { vendor: ollama, base_url: 'http://u:p@h' } }",
      "1:45 providers.a.base_url: must not hold a user name",
    ],
    [
      "providers: { a: { vendor: ollama, base_url: 'http://h?k=v' } }",
      "1:45 providers.a.base_url: must not have a query",
    ],
    [
      "providers: { a: { vendor: ollama, known_models: maybe } }",
      "1:49 providers.a.known_models: must be true or false",
    ],
    [
      "providers: { a: { vendor: ollama, headers: { host: h } } }",
      "1:46 providers.a.headers: this header is set by the gateway",
    ],
    [
      "providers: { a: { vendor: ollama, headers: { a b: h } } }",
      "1:46 providers.a.headers: this is not a valid header name",
    ],
    [
      'providers: { a: { vendor: ollama, headers: { a: "h\\r\\nb: c" } } }',
      "1:49 providers.a.headers.a: must be one line",
    ],
    [
      "providers: { a: { vendor: ollama, apikey: h } }",
      "1:35 providers.a: unknown name 'apikey'. Did you mean 'api_key'?",
    ],
    [
      `${provider}models: { llama: {} }`,
      "2:11 models: the name of a model must be <provider>/<name>",
    ],
    [
      `${provider}models: { "a/b c": {} }`,
      "2:11 models: the name of a model must be <provider>/<name>",
    ],
    [
      model("{ kind: chatt }"),
      "3:16 models.a/b.kind: is not a known kind of model. Did you mean 'chat'?",
    ],
    [model("{ context: 0 }"), "3:19 models.a/b.context: must be a whole number, at least 1"],
    [model("{ price: {} }"), "3:17 models.a/b.price: is empty"],
    [
      model("{ price: { modes: { fast: { inputs: 2 } } } }"),
      "3:36 models.a/b.price.modes.fast: unknown name 'inputs'. Did you mean 'input'?",
    ],
    [
      model("{ price: { modes: { fast: {} } } }"),
      "3:34 models.a/b.price.modes.fast: is empty. Give it at least one price, such as input: 0.10",
    ],
    [
      model("{ price: { modes: { fast: { input: -1 } } } }"),
      "3:43 models.a/b.price.modes.fast.input: must not be negative",
    ],
    [
      model("{ price: { modes: { fast: { image: 1 } } } }"),
      "3:36 models.a/b.price.modes.fast: unknown name 'image'",
    ],
    [
      model("{ price: { modes: { fast: { tiers: [{ above: 5, input: 2 }, { above: 5 }] } } } }"),
      "3:77 models.a/b.price.modes.fast.tiers[1].above: another tier",
    ],
    [
      `providers: { a: { vendor: openai, api_key: k, prices: { modes: { flex: { input: 1 } } } } }`,
      "1:72 providers.a.prices.modes.flex: ",
    ],
    [
      model("{ price: { modes: { Fast: 2 } } }"),
      "3:28 models.a/b.price.modes: a service mode has a name in lowercase letters",
    ],
    [
      model("{ price: { inptu: 1 } }"),
      "3:19 models.a/b.price: unknown name 'inptu'. Did you mean 'input'?",
    ],
    [model("{ price: { input: -0.1 } }"), "3:26 models.a/b.price.input: must not be negative"],
    [
      model("{ price: { input: 0.1234567891 } }"),
      "3:26 models.a/b.price.input: has more than 9 digits",
    ],
    [model("{ price: { input: 1e10 } }"), "3:26 models.a/b.price.input: must be below 1000000000"],
    ...["0", "0.5", "3601", "-10", "often"].map((seconds): [string, string] => [
      model(`{ price: { second: 1, minimum_seconds: ${seconds} } }`),
      "3:47 models.a/b.price.minimum_seconds: must be a whole number from 1 to 3600",
    ]),
    [model("{ price: { input: cheap } }"), "3:26 models.a/b.price.input: must be a decimal number"],
    [
      model("{ price: { input: 1, tiers: [{ input: 2 }] } }"),
      "3:37 models.a/b.price.tiers[0].above: is missing",
    ],
    [
      model("{ price: { tiers: [{ above: 5, input: 2 }, { above: 5.0, input: 3 }] } }"),
      "3:60 models.a/b.price.tiers[1].above: another tier",
    ],
    [model("{ deployments: [] }"), "3:23 models.a/b.deployments: is empty"],
    [
      model("{ deployments: {} }"),
      "3:23 models.a/b.deployments: must hold a list, not a group of settings",
    ],
    [
      model("{ deployments: [{ provider: b }] }"),
      "3:36 models.a/b.deployments[0].provider: is not a configured provider.",
    ],
    [
      model("{ deployments: [{ weight: 0 }] }"),
      "3:23 models.a/b.deployments: need at least one deployment with a weight",
    ],
    [
      model("{ deployments: [{ weight: -1 }] }"),
      "3:34 models.a/b.deployments[0].weight: must be a number from 0",
    ],
    ["vendor_state: all", "1:15 vendor_state: is not a known rule. Known here: own, any"],
    [
      `${provider}models: { c/d: { deployments: [{ model: e }] } }`,
      "2:32 models.c/d.deployments[0]: needs a provider",
    ],
  ]
  for (const [text, expected] of cases) {
    test(`rejects ${text.replace(provider, "").replace("models:\n  ", "")}`, () => {
      const found = problems(text)
      expect(found).toHaveLength(1)
      expect(found[0]).toStartWith(expected)
    })
  }
})

test("all problems of one entry are reported", () => {
  const found = problems("providers:\n  a: { vendor: vllm, weight: 1, known_models: 7 }")
  expect(found.map((problem) => problem.split(" ", 1)[0])).toEqual(["2:6", "2:22", "2:47"])
})
