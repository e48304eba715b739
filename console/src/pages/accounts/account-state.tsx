import { Button } from "@mantine/core"
import type { Account } from "tollgate-contract/accounts.ts"
import { api } from "../../api/client.ts"
import { refresh } from "../../api/refresh.ts"
import { useAskFirst } from "../../ui/ask-first.tsx"
import { notifyDone, notifyError } from "../../ui/notify.tsx"
import { t } from "../../languages/text.ts"

type State = Account["state"]

const QUESTIONS = {
  paused: {
    title: (name: string) => t("Pause {name}?", { name }),
    text: t("All requests of its keys are rejected until you resume it. Its credits stay."),
    action: t("Pause the account"),
    done: t("The account has been paused."),
  },
  closed: {
    title: (name: string) => t("Close {name}?", { name }),
    text: t(
      "All requests of its keys are rejected and no keys can be created. Its credits and records stay, and you can open it again.",
    ),
    action: t("Close the account"),
    done: t("The account has been closed."),
  },
} as const

/** Buttons that pause, close or reactivate an account. */
export function AccountStateButtons({ account }: { readonly account: Account }) {
  const { ask, dialog } = useAskFirst()

  async function change(state: State, done: string): Promise<void> {
    await api("PATCH /accounts/{id}", { path: { id: account.id }, body: { state } })
    notifyDone(done)
    await refresh("/accounts", "/keys")
  }

  function confirmState(state: "paused" | "closed"): void {
    const { title, done, ...question } = QUESTIONS[state]
    ask({ ...question, title: title(account.name) }, () => change(state, done))
  }

  if (account.state !== "active") {
    return (
      <Button
        variant="default"
        onClick={() => void change("active", t("The account is active again.")).catch(notifyError)}
      >
        {account.state === "paused" ? t("Resume") : t("Open again")}
      </Button>
    )
  }
  return (
    <>
      <Button variant="default" onClick={() => confirmState("paused")}>
        {t("Pause")}
      </Button>
      <Button variant="default" onClick={() => confirmState("closed")}>
        {t("Close")}
      </Button>
      {dialog}
    </>
  )
}
