import { Select } from "@mantine/core"
import type { Account } from "tollgate-contract/accounts.ts"
import { api } from "../../api/client.ts"
import { refresh } from "../../api/refresh.ts"
import { useAskFirst } from "../../ui/ask-first.tsx"
import { notifyDone } from "../../ui/notify.tsx"
import { usePriceGroups } from "./use-price-groups.ts"
import { t } from "../../languages/text.ts"

/**
 * Selects the price group of an account. The change needs a confirmation, because it changes the price of every
 * request.
 */
export function PriceGroupSelect({ account }: { readonly account: Account }) {
  const own = account.price_group
  const { choices, error, isLoading } = usePriceGroups(own)
  const { ask, dialog } = useAskFirst()
  if (!isLoading && choices.length === 0) return null

  const labelOf = (id: string) => choices.find(({ value }) => value === id)?.label ?? id

  async function change(id: string | null): Promise<void> {
    const path = { id: account.id }
    await api("PATCH /accounts/{id}", { path, body: { price_group: id } })
    notifyDone(
      id === null ? t("The account is in no price group now.") : t("The account has been moved."),
    )
    await refresh("/accounts", "/price-groups")
  }

  function choose(value: string | null): void {
    const id = value === "" ? null : value
    if (id === own) return
    const title =
      id === null
        ? t("Take {name} out of its price group?", { name: account.name })
        : t("Put {name} into the price group {label}?", { name: account.name, label: labelOf(id) })
    const text = t(
      "New requests are charged at the new prices. Requests already running keep theirs.",
    )
    ask({ title, text, action: t("Change the prices") }, () => change(id))
  }

  return (
    <>
      <Select
        mt="md"
        label={t("Price group")}
        data={[{ value: "", label: t("None (standard prices)") }, ...choices]}
        value={own ?? ""}
        allowDeselect={false}
        maw={360}
        disabled={isLoading}
        error={error?.message}
        onChange={choose}
      />
      {dialog}
    </>
  )
}
