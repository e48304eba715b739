import { useAccount } from "../../account.tsx"
import { Page } from "../../ui/page.tsx"
import { MemberKeysPanel } from "./member-keys-panel.tsx"
import { MemberList } from "./member-list.tsx"
import { t } from "../../languages/text.ts"

/** Shows the users of the selected account with their roles. */
export function MembersPage() {
  const { account, may } = useAccount()
  return (
    <Page
      title={t("Members")}
      description={
        account === undefined
          ? t("People with access to any account.")
          : t("People with access to {name}, and their roles.", { name: account.name })
      }
    >
      <MemberList account={account?.id} mayChange={may("owner")}>
        {account !== undefined && <MemberKeysPanel account={account.id} mayChange={may("owner")} />}
      </MemberList>
    </Page>
  )
}
