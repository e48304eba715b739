import type { ProviderSettings, GoogleCredentials } from "../config/settings.ts"
import { vertexEmbedding } from "../dialects/embedding/formats/vertex.ts"
import { gemini } from "../dialects/gemini/index.ts"
import { googleImages } from "../dialects/image/formats/gemini.ts"
import { geminiSpeech } from "../dialects/speech/formats/gemini.ts"
import { geminiTranscription } from "../dialects/transcription/formats/gemini.ts"
import type { Vendor, RequestHeaders, Signer } from "./vendor.ts"
import { googleToken } from "./google-token.ts"
import { RenewedCredential } from "./renewed-credential.ts"
import { geminiBinding } from "./bindings.ts"

/** Locations that comprise several regions. Their addresses have a different form. */
const MULTI_REGIONS = new Set(["us", "eu"])

/**
 * Gemini on Vertex AI, which rejects ids of calls and reads the service tier from a header
 * (docs/contribute/wire/gemini.md#f13).
 */
const VERTEX_GEMINI = gemini({ functionCallIds: false, serviceTier: false })

/** Google's models on Vertex AI, with a token from Google (docs/contribute/wire/gemini.md#f1). */
export const VERTEX: Vendor = {
  id: "vertex",
  name: "Google Vertex AI",
  keyVariables: [],
  variableSets: [
    {
      needed: {
        credentials: ["GOOGLE_APPLICATION_CREDENTIALS"],
        project: ["GOOGLE_CLOUD_PROJECT"],
      },
      optional: { location: ["GOOGLE_CLOUD_LOCATION"] },
      isShared: true,
    },
  ],
  settings: ["credentials", "identity", "project", "location"],
  needs: [["credentials"], ["identity", "project"]],
  chat: [geminiBinding(VERTEX_GEMINI, "")],
  operations: {
    embedding: vertexEmbedding(VERTEX_GEMINI.decodeError),
    image: googleImages(""),
    speech: geminiSpeech(VERTEX_GEMINI.decodeError, ""),
    transcription: geminiTranscription(VERTEX_GEMINI.decodeError, ""),
  },
  baseUrlOf,
  signer({ credentials, identity }) {
    const source = credentials ?? identity
    if (source === undefined) throw new Error("a vertex provider has no credentials")
    return new GoogleSigner(source)
  },
  probe: () => ({ known: "its credentials are accepted: they returned a token" }),
}

function baseUrlOf(provider: ProviderSettings): string | undefined {
  const { credentials, location = "global" } = provider
  const project = provider.project ?? credentials?.projectId
  if (project === undefined) return undefined
  const root = provider.baseUrl ?? rootAt(location)
  return `${root}/v1/projects/${project}/locations/${location}/publishers/google`
}

function rootAt(location: string): string {
  if (location === "global") return "https://aiplatform.googleapis.com"
  return MULTI_REGIONS.has(location)
    ? `https://aiplatform.${location}.rep.googleapis.com`
    : `https://${location}-aiplatform.googleapis.com`
}

/**
 * Signs requests with a token that Google's token service returns for a credential, or for the identity of this
 * machine.
 */
class GoogleSigner implements Signer {
  readonly #headers: RenewedCredential<RequestHeaders>
  /** The latest two tokens, because running requests may have been signed with the previous one. */
  #tokens: readonly string[] = []

  constructor(credentials: GoogleCredentials | "machine") {
    this.#headers = new RenewedCredential(async () => {
      const { value: token, expiresAt } = await googleToken(credentials)
      this.#tokens = [token, ...this.#tokens.slice(0, 1)]
      return { value: Object.freeze({ authorization: `Bearer ${token}` }), expiresAt }
    })
  }

  sign(): RequestHeaders | Promise<RequestHeaders> {
    return this.#headers.get()
  }

  secrets(): readonly string[] {
    return this.#tokens
  }
}
