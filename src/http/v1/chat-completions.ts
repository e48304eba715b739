import type { ChatDialect } from "../../canon/dialect.ts"
import { asGatewayError, GatewayError } from "../../canon/errors.ts"
import type { Keyring } from "../../keys/keyring.ts"
import type { Relay } from "../../relay/relay.ts"
import type { Events } from "../../telemetry/events.ts"
import { errorHeaders } from "../answers.ts"
import { readJsonBody } from "../read-body.ts"
import { newRequestId } from "../request-id.ts"

export interface ChatEndpointServices {
  readonly dialect: ChatDialect
  readonly keyring: Keyring
  readonly relay: Relay
  readonly events: Events
  /** Bytes. */
  readonly bodyLimit: () => number
}

const PATH = "/v1/chat/completions"

/** `POST /v1/chat/completions` */
export function chatCompletions(services: ChatEndpointServices) {
  return async function handle(request: Request, waitLong: () => void): Promise<Response> {
    const id = newRequestId()
    try {
      const receivedAt = Date.now()
      const key = services.keyring.authenticate(request.headers, receivedAt)
      const { json, bytes } = await readJsonBody(request, services.bodyLimit())
      waitLong()
      const { headers, body } = await services.relay.chat(services.dialect, {
        id,
        key,
        endpoint: PATH,
        body: json,
        bodyBytes: bytes,
        receivedAt,
        signal: request.signal,
        refuseOnLowBalance: refuses(request.headers),
      })
      return new Response(body, {
        headers: { ...headers, "x-request-id": id, "request-id": id },
      })
    } catch (thrown) {
      const error = asGatewayError(thrown)
      if (error.kind === "internal_error") services.events.requestFailed(id, thrown)
      const { status, body } = services.dialect.encodeError(error, id)
      return new Response(JSON.stringify(body), { status, headers: errorHeaders(error, id) })
    }
  }
}

function refuses(headers: Headers): boolean {
  const wish = headers.get("x-tollgate-on-low-balance")
  if (wish === null || wish === "clamp") return false
  if (wish === "refuse") return true
  throw new GatewayError(
    "invalid_value",
    "The header 'x-tollgate-on-low-balance' takes 'clamp' or 'refuse'.",
    { parameter: "x-tollgate-on-low-balance" },
  )
}
