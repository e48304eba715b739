import { Outlet } from "@tanstack/react-router"
import { useAccount } from "../account.tsx"
import { useSession } from "../session.tsx"
import { EmptyState } from "../ui/empty-state.tsx"
import { LinkButton } from "../ui/link-button.tsx"
import { Page } from "../ui/page.tsx"
import { isWithin, NAV_SECTIONS } from "./nav.tsx"
import { t } from "../languages/text.ts"

const OPERATORS_ONLY = t(
  "Only an operator of this gateway sees it. Ask one if you need something from here.",
)
const OWNERS_ONLY = t(
  "Only an owner of the account sees it. Ask one if you need something from here.",
)

/**
 * Shows a page. If the user may not open it, a notice names the people to ask. The management API enforces the
 * permission.
 */
export function AllowedPage({ path }: { readonly path: string }) {
  const { is_operator: isOperator } = useSession()
  const { may } = useAccount()
  for (const { entries, isOperatorOnly = false } of NAV_SECTIONS) {
    const entry = entries.find(({ to }) => isWithin(path, to))
    if (entry === undefined) continue
    if (isOperatorOnly && !isOperator)
      return <Rejection title={entry.label} reason={OPERATORS_ONLY} />
    if (entry.needs !== undefined && !may(entry.needs)) {
      return <Rejection title={entry.label} reason={OWNERS_ONLY} />
    }
  }
  return <Outlet />
}

function Rejection({ title, reason }: { readonly title: string; readonly reason: string }) {
  return (
    <Page title={title}>
      <EmptyState
        title={t("You do not have access to this page")}
        action={<LinkButton to="/">{t("Go to the overview")}</LinkButton>}
      >
        {reason}
      </EmptyState>
    </Page>
  )
}
