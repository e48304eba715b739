import {
  ADMIN_TOKEN,
  BUCKET_ID,
  BUCKET_SECRET,
  COLLECTOR_TOKEN,
  ISSUER_SECRET,
  MAIL_PASSWORD,
  METRICS_TOKEN,
  SINK_TOKEN,
  STRIPE_KEY,
  STRIPE_SECRET,
  VENDOR_HEADER,
  VENDOR_KEY,
} from "./planted.ts"
import { FAILINGS } from "./vendor.ts"

/** The addresses of all servers to which a gateway sends requests. */
export interface Addresses {
  readonly vendor: string
  readonly collector: string
  readonly sink: string
  readonly bucket: string
  /** Host and port of the mail server. */
  readonly mail: string
}

const PRICE = { input: 1, output: 2, image: 1, character: 1, second: 1, search: 1 }
const CHAT = { kind: "chat", price: PRICE, context: 100_000, max_output: 1_000 }

/** The groups of providers by the suffix of their ids, with their settings. */
const PROVIDERS = [
  {
    suffix: "",
    provider: { vendor: "openai" },
    path: "/v1",
    models: {
      echo: CHAT,
      "text-embedding-3-small": { kind: "embedding", price: PRICE },
      "gpt-image-1": { kind: "image", price: PRICE },
      "dall-e-2": { kind: "image", price: PRICE },
      "tts-1": { kind: "speech", price: PRICE },
      moderate: { kind: "moderation", price: PRICE },
      "whisper-1": { kind: "transcription", price: PRICE },
    },
  },
  { suffix: "-anthropic", provider: { vendor: "anthropic" }, path: "", models: { echo: CHAT } },
  { suffix: "-messages", provider: { vendor: "anthropic" }, path: "", models: { echo: CHAT } },
  { suffix: "-responses", provider: { vendor: "openai" }, path: "/v1", models: { echo: CHAT } },
  { suffix: "-compact", provider: { vendor: "openai" }, path: "/v1", models: { echo: CHAT } },
  { suffix: "-google", provider: { vendor: "google" }, path: "", models: { echo: CHAT } },
  {
    suffix: "-cohere",
    provider: { vendor: "cohere" },
    path: "",
    models: { "rerank-v3.5": { kind: "rerank", price: PRICE } },
  },
] as const

/** Returns settings with all observers enabled, as JSON, which is valid YAML. */
export function settingsWith(addresses: Addresses, more: object = {}): string {
  const { vendor } = addresses
  const common = {
    api_key: VENDOR_KEY,
    headers: { "x-team": VENDOR_HEADER },
    known_models: false,
  }
  const providers: Record<string, object> = {
    scripted: { ...common, vendor: "openai-compatible", base_url: `${vendor}/scripted/v1` },
  }
  const models: Record<string, object> = { "scripted/tools": CHAT }
  for (const way of ["good", ...FAILINGS]) {
    for (const { suffix, provider, path, models: own } of PROVIDERS) {
      const base_url = `${vendor}/${way}${path}`
      providers[way + suffix] = { ...common, ...provider, base_url }
      for (const [name, model] of Object.entries(own)) models[`${way}${suffix}/${name}`] = model
    }
  }
  return JSON.stringify({
    server: { port: 0 },
    admin_token: ADMIN_TOKEN,
    providers,
    models,
    ...observers(addresses),
    images: { mask: "optional" },
    stripe: { secret_key: STRIPE_KEY, webhook_secret: STRIPE_SECRET },
    console: {
      oidc: [
        {
          id: "issuer",
          name: "Issuer",
          issuer: "https://issuer.example.com",
          client_id: "tollgate",
          client_secret: ISSUER_SECRET,
        },
      ],
    },
    ...more,
  })
}

/** Returns the settings of each observer of requests. */
function observers({ collector, sink, bucket, mail }: Addresses): object {
  return {
    metrics: { token: METRICS_TOKEN },
    telemetry: {
      endpoint: collector,
      headers: { authorization: `Bearer ${COLLECTOR_TOKEN}` },
      metrics: "1s",
    },
    log: {
      requests: true,
      file: { path: "lines/requests.jsonl" },
      http: {
        url: sink,
        headers: { authorization: `Bearer ${SINK_TOKEN}` },
        private: true,
        gzip: false,
      },
      s3: {
        bucket: "lines",
        private: true,
        endpoint: bucket,
        region: "us-east-1",
        access_key_id: BUCKET_ID,
        secret_access_key: BUCKET_SECRET,
      },
    },
    notices: {
      private: true,
      smtp: `smtp://canary:${encodeURIComponent(MAIL_PASSWORD)}@${mail}`,
      from: "tollgate@example.com",
    },
  }
}

/** Returns settings with mistakes. Each mistake is next to a secret or within one. */
export function brokenSettings(written: string): string[] {
  const at = written.indexOf(ADMIN_TOKEN)
  const mail = encodeURIComponent(MAIL_PASSWORD)
  return [
    written.slice(0, at + ADMIN_TOKEN.length),
    written.replace(`"admin_token":"`, `"admin_token" "`),
    written.replace(`"${ADMIN_TOKEN}"`, `["${ADMIN_TOKEN}"]`),
    written.replace(`"${ADMIN_TOKEN}"`, `"\${${ADMIN_TOKEN}"`),
    written.replace(`smtp://canary:${mail}@`, `smtp//canary:${mail}@`),
    written.replace(/"base_url":"http:\/\//, `"base_url":"http://user:${VENDOR_HEADER}@`),
    written.replace(`"${VENDOR_KEY}"`, `{"key":"${VENDOR_KEY}"}`),
    written.replace(`"vendor":"openai-compatible"`, `"vendor":"${VENDOR_KEY}"`),
    written.replace(`"${STRIPE_KEY}"`, `"${STRIPE_KEY}","currency":"${STRIPE_SECRET}"`),
    `${written.slice(0, -1)},"server":{"port":"${SINK_TOKEN}"}}`,
  ]
}
