import { creditRoutes } from "tollgate-contract/accounts.ts"
import type { Credits } from "../../management/credits.ts"
import type { Redemptions } from "../../management/redemptions.ts"
import type { StatementFile, Statements } from "../../management/statements.ts"
import { type AdminEndpoint, endpoints } from "./endpoint.ts"

export interface CreditServices {
  readonly credits: Credits
  readonly redemptions: Redemptions
  readonly statements: Statements
}

/** `/admin/v1/accounts/{id}/...`: the ledger of an account, and what goes into it. */
export function creditEndpoints({
  credits,
  redemptions,
  statements,
}: CreditServices): AdminEndpoint[] {
  return endpoints(creditRoutes, {
    "GET /accounts/{id}/credits": ({ actor, path }) => credits.credits(actor, path("id")),
    "GET /accounts/{id}/entries": ({ actor, path, query }) =>
      credits.entries(actor, path("id"), query),
    "POST /accounts/{id}/entries": ({ actor, path, body }) => credits.add(actor, path("id"), body),
    "POST /accounts/{id}/redeem": ({ actor, path, body }) =>
      redemptions.redeem(actor, path("id"), body.code),
    "GET /accounts/{id}/statement": async ({ actor, path, query }) =>
      fileAnswer(await statements.open(actor, path("id"), query)),
  })
}

/** Sent chunk by chunk: it may be long. */
function fileAnswer({ name, contentType, chunks }: StatementFile): Response {
  return new Response(bytesOf(chunks), {
    headers: {
      "content-type": contentType,
      "content-disposition": `attachment; filename="${name}"`,
    },
  })
}

function bytesOf(chunks: AsyncIterable<string>): ReadableStream<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]()
  const encoder = new TextEncoder()
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await iterator.next()
      if (done) controller.close()
      else controller.enqueue(encoder.encode(value))
    },
    async cancel() {
      await iterator.return?.()
    },
  })
}
