import type { OpenInvitation } from "tollgate-contract/members.ts"
import { Skeleton } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { getRouteApi } from "@tanstack/react-router"
import { ApiError } from "../../api/api-error.ts"
import { api } from "../../api/client.ts"
import { oneQuery, sessionQuery } from "../../api/queries.ts"
import { LinkNotice } from "../../layout/link-notice.tsx"
import { PublicPage } from "../../layout/public-page.tsx"
import { beginSession } from "../../session.tsx"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { AcceptAsGuest } from "./accept-as-guest.tsx"
import { AcceptAsUser } from "./accept-as-user.tsx"
import { known, t } from "../../languages/text.ts"

const route = getRouteApi("/invitation")

/** Returns the invitation as a sentence that describes the role. */
function invitationText({ role, invited_by: by, email }: OpenInvitation): string {
  const inviter = known(by)
  switch (role) {
    case "owner":
      return t("{inviter} invites {email} to be an owner, who manages keys, credits and members.", {
        inviter,
        email,
      })
    case "member":
      return t("{inviter} invites {email} to be a member, who manages keys and credits.", {
        inviter,
        email,
      })
    case "viewer":
      return t("{inviter} invites {email} to be a viewer, with read-only access.", {
        inviter,
        email,
      })
  }
}

/** The values that a new user has entered; empty for registered users. */
interface Acceptance {
  readonly name?: string
  readonly password?: string
}

/** Lets an invited person join an account. */
export function InvitationPage() {
  const { token } = route.useSearch()
  const navigate = route.useNavigate()
  const path = { token: token ?? "" }
  const invitation = useQuery({
    ...oneQuery("GET /invitations/{token}", { path }),
    enabled: token !== undefined,
  })
  const session = useQuery({ ...sessionQuery, retry: false })

  async function accept({ name, password }: Acceptance = {}) {
    const begun = await api("POST /invitations/{token}/accept", { path, body: { name, password } })
    const joined = begun.accounts.find(({ name }) => name === invitation.data?.account_name)
    beginSession(begun)
    await navigate({ to: "/", search: { account: joined?.id } })
  }

  if (token === undefined || isGone(invitation.error)) return <NoInvitation />
  if (invitation.error !== null) {
    return (
      <PublicPage title={t("Invitation")}>
        <ErrorNotice error={invitation.error} retry={() => void invitation.refetch()} />
      </PublicPage>
    )
  }
  if (invitation.data === undefined || session.isPending) {
    return (
      <PublicPage title={t("Invitation")}>
        <Skeleton height={180} />
      </PublicPage>
    )
  }
  const { account_name: account, email } = invitation.data
  const signedInAs = session.data?.user?.email
  return (
    <PublicPage
      title={t("Join {account}", { account })}
      description={invitationText(invitation.data)}
    >
      {signedInAs !== undefined || invitation.data.is_registered ? (
        <AcceptAsUser email={email} signedInAs={signedInAs} accept={() => accept({})} />
      ) : (
        <AcceptAsGuest accept={accept} />
      )}
    </PublicPage>
  )
}

function isGone(error: Error | null): boolean {
  return error instanceof ApiError && error.status === 404
}

function NoInvitation() {
  return (
    <PublicPage title={t("Invitation")}>
      <LinkNotice title={t("This invitation is no longer valid")}>
        {t(
          "It was used or withdrawn, it has expired, or the link is incomplete. Ask for a new one.",
        )}
      </LinkNotice>
    </PublicPage>
  )
}
