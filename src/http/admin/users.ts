import {
  resetLink,
  user,
  userChange,
  userPage,
  userQuery,
  userReset,
} from "tollgate-contract/members.ts"
import type { UserDirectory } from "../../management/user-directory.ts"
import { type Endpoint, endpoint } from "./endpoint.ts"

/** `/admin/v1/users`: everybody who can sign in. */
export function userEndpoints({ directory }: { readonly directory: UserDirectory }): Endpoint[] {
  return [
    endpoint({
      method: "GET",
      path: "/users",
      summary: "All users, the oldest first",
      least: "operator",
      query: userQuery,
      answer: userPage,
      handle: ({ actor, query }) => directory.list(actor, query),
    }),
    endpoint({
      method: "PATCH",
      path: "/users/{id}",
      summary: "Make a user an operator, or disable them; a disabled user's sessions end",
      least: "operator",
      body: userChange,
      answer: user,
      handle: ({ actor, path, body }) => directory.change(actor, path.id, body),
    }),
    endpoint({
      method: "POST",
      path: "/users/{id}/reset",
      summary: "A link that sets a new password, for somebody who has lost theirs",
      least: "operator",
      body: userReset,
      answer: resetLink,
      handle: ({ actor, path, body }) => directory.reset(actor, path.id, body.two_factor),
    }),
  ]
}
