import { userRoutes } from "tollgate-contract/members.ts"
import type { UserDirectory } from "../../management/user-directory.ts"
import { type AdminEndpoint, endpoints } from "./endpoint.ts"

/** `/admin/v1/users`: everyone who can sign in. */
export function userEndpoints({
  directory,
}: {
  readonly directory: UserDirectory
}): AdminEndpoint[] {
  return endpoints(userRoutes, {
    "GET /users": ({ actor, query }) => directory.list(actor, query),
    "PATCH /users/{id}": ({ actor, path, body }) => directory.change(actor, path("id"), body),
    "GET /users/{id}/export": ({ actor, path }) => directory.export(actor, path("id")),
    "POST /users/{id}/reset": ({ actor, path, body }) =>
      directory.reset(actor, path("id"), body.two_factor),
  })
}
