import type { ClientDialect } from "../../canon/dialect.ts"
import { type ErrorResponse, errorHeaders } from "../responses.ts"

/** Builds errors in the format of a dialect. */
export function errorsIn(dialect: Pick<ClientDialect, "encodeError">): ErrorResponse {
  return (error, id) => {
    const { status, body } = dialect.encodeError(error, id)
    return new Response(JSON.stringify(body), { status, headers: errorHeaders(error, id) })
  }
}
