import { asGatewayError, type GatewayError } from "../canon/errors.ts"
import type { Key } from "../keys/key.ts"
import type { Keyring } from "../keys/keyring.ts"
import type { Events } from "../telemetry/events.ts"
import { errorAnswer } from "./answers.ts"
import { newRequestId } from "./request-id.ts"

/** A request whose caller is known. */
export interface KnownRequest {
  readonly request: Request
  readonly key: Key
  readonly id: string
  readonly url: URL
}

/**
 * An endpoint that any key may call.
 * @param tellError in OpenAI's envelope where none is given.
 */
export function authenticated(
  services: { readonly keyring: Keyring; readonly events: Events },
  answer: (known: KnownRequest) => Response | Promise<Response>,
  tellError: (error: GatewayError, id: string) => Response = errorAnswer,
) {
  return async function handle(request: Request): Promise<Response> {
    const id = newRequestId()
    try {
      const key = await services.keyring.identify(request.headers, Date.now())
      return await answer({ request, key, id, url: new URL(request.url) })
    } catch (thrown) {
      const error = asGatewayError(thrown)
      if (error.kind === "internal_error") services.events.requestFailed(id, thrown)
      return tellError(error, id)
    }
  }
}
