import type { ClientDialect } from "../../canon/dialect.ts"
import { type ErrorAnswer, errorHeaders } from "../answers.ts"

/** Builds errors in the format of a dialect. */
export function errorsIn(dialect: Pick<ClientDialect, "encodeError">): ErrorAnswer {
  return (error, id) => {
    const { status, body } = dialect.encodeError(error, id)
    return new Response(JSON.stringify(body), { status, headers: errorHeaders(error, id) })
  }
}
