import { describe, expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { loadSettings } from "../../src/config/load.ts"
import type { ProviderSettings } from "../../src/config/settings.ts"
import { vendors } from "../../src/vendors/index.ts"
import { ACCOUNT, Folder, EXTERNAL_FILE, KEY_FILE, load, problems } from "./harness.ts"

/** Returns a provider of the settings file. Its entry is written in braces. */
function inFile(entry: string): ProviderSettings | undefined {
  return load(`providers: { a: { ${entry} } }`).settings.providers.a
}

/** Returns the faults of an entry, which begins in column 17. */
function faultsOf(entry: string): string[] {
  return problems(`providers: { a: { ${entry} } }`)
}

describe("settings for one vendor", () => {
  test("can be in the settings file", () => {
    expect(
      inFile("vendor: bedrock, region: eu-west-1, access_key_id: AK, secret_access_key: SK"),
    ).toEqual({
      vendor: "bedrock",
      region: "eu-west-1",
      accessKeyId: "AK",
      secretAccessKey: "SK",
      headers: {},
      knownModels: true,
      origin: "file",
    })
    expect(inFile("vendor: bedrock, region: eu-west-1, api_key: k")).toMatchObject({ apiKey: "k" })
  })

  test("cause an error that lists the allowed settings if they are for another vendor", () => {
    expect(faultsOf("vendor: openai, region: eu-west-1")).toEqual([
      "1:43 providers.a.region: is not a setting of vendor 'openai', which accepts vendor, api_keys, base_url, headers, known_models, dialects, extra_fields, api_key",
    ])
    const places = faultsOf("vendor: vertex, credentials: x, api_key: k, session_token: t")
      .filter((line) => line.includes("is not a setting"))
      .map((line) => line.split(": ")[0])
    expect(places).toEqual(["1:60 providers.a.api_key", "1:78 providers.a.session_token"])
  })

  const missing: [string, string][] = [
    ["vendor: bedrock, api_key: k", "needs region"],
    ["vendor: bedrock, access_key_id: k", "needs secret_access_key and region"],
    ["vendor: bedrock, access_key_id: k, region: r", "needs secret_access_key"],
    ["vendor: bedrock, region: r", "needs api_key, or access_key_id and secret_access_key"],
    ["vendor: vertex", "needs credentials, or identity and project"],
    ["vendor: vllm", "needs a base_url: 'vllm' has no address of its own"],
  ]
  for (const [entry, message] of missing) {
    test(`cause an error if a required setting is missing: ${entry}`, () => {
      expect(faultsOf(entry)).toEqual([`1:17 providers.a: ${message}`])
    })
  }

  test("must be plain names if they are part of a URL", () => {
    for (const region of ["us-east-1.evil.test/", "US EAST", "a@b", "-x"]) {
      const [fault] = faultsOf(`vendor: bedrock, api_key: k, region: "${region}"`)
      expect(fault).toContain("providers.a.region: must be lowercase letters, digits and hyphens")
    }
  })
})

describe("Google credentials in settings", () => {
  const vertex = (key: object, more = "") =>
    `vendor: vertex, credentials: '${JSON.stringify(key)}'${more}`

  test("can be JSON", () => {
    expect(inFile(vertex(KEY_FILE))?.credentials).toEqual(ACCOUNT)
    const { token_uri: _, ...withoutAddress } = KEY_FILE
    expect(inFile(vertex(withoutAddress))?.credentials).toEqual(ACCOUNT)
  })

  test("can be the path of a file, relative to the settings", () => {
    using folder = new Folder()
    writeFileSync(join(folder.path, "key.json"), JSON.stringify(KEY_FILE))
    for (const path of ["key.json", join(folder.path, "key.json")]) {
      folder.write(`providers: { a: { vendor: vertex, credentials: "${path}" } }`)
      const { settings } = loadSettings(folder.options())
      expect(settings.providers.a?.credentials).toEqual(ACCOUNT)
    }
  })

  test("contain the project, unless the settings contain one", () => {
    const { project_id: _, ...withoutProject } = KEY_FILE
    expect(faultsOf(vertex(withoutProject))).toEqual([
      "1:17 providers.a: needs a project, because its credentials name no project",
    ])
    expect(inFile(vertex(withoutProject, ", project: mine"))?.project).toBe("mine")
  })

  const bad: [string, string, string][] = [
    ["no file", "absent.json", "cannot be read (ENOENT). Give Google credentials"],
    ["invalid JSON", "{", "must be Google credentials, as JSON"],
    ["another type", JSON.stringify({ ...KEY_FILE, type: "gdch" }), "whose 'type' is one of"],
    ["no key", JSON.stringify({ ...KEY_FILE, private_key: "x" }), "'private_key' is missing"],
    ["no name", JSON.stringify({ ...KEY_FILE, client_email: "" }), "'client_email' is missing"],
    [
      "a federation with a token from a program",
      JSON.stringify({ ...EXTERNAL_FILE, credential_source: { executable: { command: "x" } } }),
      "'credential_source' is missing or not supported",
    ],
    [
      "a federation over plain HTTP",
      JSON.stringify({ ...EXTERNAL_FILE, token_url: "http://sts.googleapis.com/v1/token" }),
      "must have a token_url that starts with https://",
    ],
    [
      "a public address",
      JSON.stringify({ ...KEY_FILE, token_uri: "http://oauth2.googleapis.com/token" }),
      "must have a token_uri that starts with https://",
    ],
  ]
  for (const [name, credentials, message] of bad) {
    test(`cause an error if they are invalid: ${name}`, () => {
      const [fault] = problems(
        `providers: { a: { vendor: vertex, credentials: ${JSON.stringify(credentials)} } }`,
      )
      expect(fault).toStartWith("1:48 providers.a.credentials: ")
      expect(fault).toContain(message)
    })
  }

  test("can have a token URL on the same machine", () => {
    const local = { ...KEY_FILE, token_uri: "http://127.0.0.1:9/token" }
    expect(inFile(vertex(local))?.credentials?.tokenUri).toBe(local.token_uri)
  })

  test("can be a configuration of workload identity federation", () => {
    const document = {
      ...EXTERNAL_FILE,
      service_account_impersonation_url: "https://iamcredentials.googleapis.com/v1/sa:token",
      credential_source: {
        url: "http://169.254.169.254/token",
        headers: { metadata: "true" },
        format: { type: "json", subject_token_field_name: "id_token" },
      },
    }
    expect(inFile(vertex(document, ", project: mine"))?.credentials).toEqual({
      audience: EXTERNAL_FILE.audience,
      subjectTokenType: EXTERNAL_FILE.subject_token_type,
      tokenUri: EXTERNAL_FILE.token_url,
      impersonationUrl: document.service_account_impersonation_url,
      source: {
        url: "http://169.254.169.254/token",
        headers: { metadata: "true" },
        field: "id_token",
      },
    })
  })

  test("can belong to a user, and then use the user's quota project by default", () => {
    const document = {
      type: "authorized_user",
      client_id: "id",
      client_secret: "secret",
      refresh_token: "refresh",
      quota_project_id: "mine",
    }
    expect(inFile(vertex(document))?.credentials).toEqual({
      clientId: "id",
      clientSecret: "secret",
      refreshToken: "refresh",
      tokenUri: "https://oauth2.googleapis.com/token",
      projectId: "mine",
    })
  })

  test("can be the machine's identity, with a project", () => {
    expect(inFile("vendor: vertex, identity: machine, project: mine")?.identity).toBe("machine")
    expect(faultsOf("vendor: vertex, identity: machine")[0]).toContain("needs project")
    expect(faultsOf("vendor: vertex, identity: here, project: mine")[0]).toContain(
      "is not a known identity",
    )
  })
})

describe("dialect settings", () => {
  test("must name dialects of the vendor if they belong to a provider", () => {
    expect(inFile("vendor: openai, dialects: [openai-responses]")?.dialects).toEqual([
      "openai-responses",
    ])
    expect(faultsOf("vendor: openai, dialects: [openai-chat, gemini]")).toEqual([
      "1:59 providers.a.dialects[1]: is not spoken by vendor 'openai', which speaks openai-chat, openai-responses",
    ])
    expect(faultsOf("vendor: openai, dialects: []")[0]).toContain("dialects: is empty")
  })

  test("must name known dialects if they belong to a model", () => {
    const text =
      "providers: { a: { vendor: openai } }\nmodels: { a/b: { dialects: [openai-chta] } }"
    expect(problems(text)).toEqual([
      "2:29 models.a/b.dialects[0]: is not a known dialect. Did you mean 'openai-chat'?",
    ])
  })
})

describe("a vendor's environment variables", () => {
  const providers = (environment: Record<string, string>) => load("", environment)
  const PAIR = { AWS_ACCESS_KEY_ID: "AK", AWS_SECRET_ACCESS_KEY: "SK" }
  const key = JSON.stringify(KEY_FILE)

  test("add the vendor's provider if a set of variables is complete", () => {
    const { settings, warnings } = providers({
      ...PAIR,
      AWS_REGION: "us-east-1",
      AWS_SESSION_TOKEN: "t",
      GOOGLE_CREDENTIALS: key,
      GOOGLE_PROJECT: "mine",
    })
    expect(warnings).toEqual([])
    expect(settings.providers.bedrock).toEqual({
      vendor: "bedrock",
      region: "us-east-1",
      accessKeyId: "AK",
      secretAccessKey: "SK",
      sessionToken: "t",
      headers: {},
      knownModels: true,
      origin: "environment",
    })
    expect(settings.providers.vertex).toEqual({
      vendor: "vertex",
      credentials: ACCOUNT,
      project: "mine",
      headers: {},
      knownModels: true,
      origin: "environment",
    })
  })

  test("come from the first complete set", () => {
    const both = { ...PAIR, BEDROCK_KEY: "k", AWS_REGION: "us-east-1" }
    expect(providers(both).settings.providers.bedrock).not.toHaveProperty("accessKeyId")
    const other = { BEDROCK_KEY: "k", AWS_DEFAULT_REGION: "us-east-2" }
    expect(providers(other).settings.providers.bedrock).toMatchObject({ region: "us-east-2" })
  })

  test("cause a warning if a set with an API key is incomplete, except for shared variables", () => {
    expect(providers({ BEDROCK_KEY: "k" }).warnings).toEqual([
      "BEDROCK_KEY: not used, since AWS_REGION is not set.",
    ])
    const partial = { ...PAIR, GOOGLE_CREDENTIALS: key, AWS_SESSION_TOKEN: "t" }
    const { settings, warnings } = providers(partial)
    expect(Object.keys(settings.providers)).toEqual([])
    expect(warnings).toEqual([])
    expect(providers({ AWS_REGION: "us-east-1" }).warnings).toEqual([])
  })

  test("cause only a warning if a shared variable is invalid", () => {
    const { settings, warnings } = providers({
      GOOGLE_CREDENTIALS: JSON.stringify({ ...KEY_FILE, type: "external_account" }),
      GOOGLE_PROJECT: "mine",
    })
    expect(Object.keys(settings.providers)).toEqual([])
    expect(warnings).toEqual([
      "GOOGLE_CREDENTIALS: not used, since it must be complete Google credentials: 'audience' is missing or not supported.",
    ])
    expect(problems("", { BEDROCK_KEY: "k", AWS_REGION: "no where" })[0]).toStartWith(
      "-:- AWS_REGION: must be lowercase letters",
    )
  })

  test("do not override providers in the file", () => {
    const text = "providers: { bedrock: { vendor: bedrock, region: eu-west-1, api_key: k } }"
    const { settings, warnings } = load(text, { ...PAIR, AWS_REGION: "us-east-1" })
    expect(settings.providers.bedrock).toMatchObject({ region: "eu-west-1", origin: "file" })
    expect(warnings).toEqual([])
  })
})

describe("the base_url setting", () => {
  test.each([
    ["chat/completions"],
    ["completions"],
    ["responses/"],
    ["messages"],
    ["embeddings"],
    ["rerank"],
    ["images/generations"],
    ["audio/transcriptions"],
    ["models/gemini-pro:generateContent"],
    ["models"],
  ])("cannot end with %s, and the error contains the correct URL", (path) => {
    const [fault = ""] = faultsOf(`vendor: vllm, base_url: "http://h/api/v1/${path}"`)
    expect(fault).toEndWith("which the gateway adds itself. Write http://h/api/v1")
  })

  test.each([
    ["anthropic", "https://api.anthropic.com/v1", "https://api.anthropic.com"],
    ["cohere", "https://proxy/cohere/v2/", "https://proxy/cohere"],
    ["google", "https://proxy/v1beta", "https://proxy"],
  ])(
    "cannot end with a version for %s, and the error contains the correct URL",
    (vendor, url, base) => {
      const text = `providers: { a: { vendor: ${vendor}, api_key: k, base_url: "${url}" } }`
      const [fault = ""] = problems(text, {}, { vendors: [...vendors.values()] })
      expect(fault).toEndWith(`which the gateway adds itself. Write ${base}`)
    },
  )

  test("accepts other paths", () => {
    for (const url of [
      "https://h.services.ai.azure.com/models",
      "http://h/v1",
      "http://h/responses/v1",
    ]) {
      expect(inFile(`vendor: vllm, base_url: "${url}"`)?.baseUrl).toBe(url)
    }
  })
})
