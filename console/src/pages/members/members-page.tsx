import { useAccount } from "../../account.tsx"
import { Page } from "../../ui/page.tsx"
import { MemberList } from "./member-list.tsx"

/** Who may sign in for the chosen account, and as what. */
export function MembersPage() {
  const { account, may } = useAccount()
  return (
    <Page
      title="Members"
      description={
        account === undefined
          ? "Who may sign in, for all accounts. Choose one to invite somebody."
          : `Who may sign in for ${account.name}, and what each may do.`
      }
    >
      <MemberList account={account?.id} mayChange={may("owner")} />
    </Page>
  )
}
