import {
  accountCredits,
  entry,
  entryPage,
  entryQuery,
  newEntry,
  redemption,
  statementQuery,
} from "tollgate-contract/accounts.ts"
import type { Credits } from "../../management/credits.ts"
import type { StatementFile, Statements } from "../../management/statements.ts"
import { type Endpoint, endpoint } from "./endpoint.ts"

export interface CreditServices {
  readonly credits: Credits
  readonly statements: Statements
}

/** `/admin/v1/accounts/{id}/...`: the book of an account, and what goes into it. */
export function creditEndpoints({ credits, statements }: CreditServices): Endpoint[] {
  return [
    endpoint({
      method: "GET",
      path: "/accounts/{id}/credits",
      summary: "What an account has, and what running requests hold of it",
      least: "viewer",
      answer: accountCredits,
      handle: ({ actor, path }) => credits.credits(actor, path.id),
    }),
    endpoint({
      method: "GET",
      path: "/accounts/{id}/entries",
      summary: "The account's book, the newest entries first",
      least: "viewer",
      query: entryQuery,
      answer: entryPage,
      handle: ({ actor, path, query }) => credits.entries(actor, path.id, query),
    }),
    endpoint({
      method: "POST",
      path: "/accounts/{id}/entries",
      summary: "Grant, refund or adjust credits, with a reason that stands in the book for ever",
      least: "operator",
      body: newEntry,
      answer: entry,
      handle: ({ actor, path, body }) => credits.add(actor, path.id, body),
    }),
    endpoint({
      method: "POST",
      path: "/accounts/{id}/redeem",
      summary: "Give an account what a code is worth",
      least: "member",
      body: redemption,
      answer: entry,
      handle: ({ actor, path, body }) => credits.redeem(actor, path.id, body.code),
    }),
    endpoint({
      method: "GET",
      path: "/accounts/{id}/statement",
      summary: "A statement of some days as a file, CSV or JSON",
      least: "viewer",
      query: statementQuery,
      handle: async ({ actor, path, query }) =>
        fileAnswer(await statements.open(actor, path.id, query)),
    }),
  ]
}

/** Sent piece by piece: it may be long. */
function fileAnswer({ name, contentType, pieces }: StatementFile): Response {
  return new Response(bytesOf(pieces), {
    headers: {
      "content-type": contentType,
      "content-disposition": `attachment; filename="${name}"`,
    },
  })
}

function bytesOf(pieces: AsyncIterable<string>): ReadableStream<Uint8Array> {
  const iterator = pieces[Symbol.asyncIterator]()
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
