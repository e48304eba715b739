import {
  key,
  keyChange,
  keyPage,
  keyQuery,
  keyRotation,
  keyWithSecret,
  newKey,
} from "tollgate-contract/keys.ts"
import type { Keys } from "../../management/keys.ts"
import { type Endpoint, endpoint } from "./endpoint.ts"

/** `/admin/v1/keys`: what callers send. */
export function keyEndpoints({ keys }: { readonly keys: Keys }): Endpoint[] {
  return [
    endpoint({
      method: "GET",
      path: "/keys",
      summary: "The keys of one account or of all that you may see, the newest first",
      least: "viewer",
      query: keyQuery,
      answer: keyPage,
      handle: ({ actor, query }) => keys.list(actor, query),
    }),
    endpoint({
      method: "POST",
      path: "/keys",
      summary: "Create a key; its secret is in the answer, this once",
      least: "member",
      body: newKey,
      answer: keyWithSecret,
      handle: ({ actor, body }) => keys.create(actor, body),
    }),
    endpoint({
      method: "GET",
      path: "/keys/{id}",
      summary: "One key",
      least: "viewer",
      answer: key,
      handle: ({ actor, path }) => keys.find(actor, path.id),
    }),
    endpoint({
      method: "PATCH",
      path: "/keys/{id}",
      summary: "Rename a key, or change its limits",
      least: "member",
      body: keyChange,
      answer: key,
      handle: ({ actor, path, body }) => keys.change(actor, path.id, body),
    }),
    endpoint({
      method: "POST",
      path: "/keys/{id}/rotate",
      summary: "Give a key a new secret; the old one works on for a while",
      least: "member",
      body: keyRotation,
      answer: keyWithSecret,
      handle: ({ actor, path, body }) => keys.rotate(actor, path.id, body.grace_seconds * 1_000),
    }),
    endpoint({
      method: "POST",
      path: "/keys/{id}/revoke",
      summary: "Stop a key, and every old secret of it, for good",
      least: "member",
      answer: key,
      handle: ({ actor, path }) => keys.revoke(actor, path.id),
    }),
  ]
}
