import { Button, Group, Modal, Stack, Text } from "@mantine/core"
import { useForm } from "@mantine/form"
import { api } from "../../api/client.ts"
import { readCredits } from "../../format/credits.ts"
import { paidText } from "../../format/paid.ts"
import { useSession } from "../../session.tsx"
import { AmountInput } from "../../ui/amount-input.tsx"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { FormButtons } from "../../ui/form-buttons.tsx"
import { useSubmit } from "../../ui/use-submit.ts"
import { checkPositive } from "./amount-check.ts"
import type { CreditsModalProperties } from "./redeem-modal.tsx"
import { rich, t } from "../../languages/text.ts"

const AMOUNTS = ["10", "25", "50", "100"]

/** Lets the user buy credits by card on the page of the payment provider. */
export function BuyModal({ account, isOpen, onClose }: CreditsModalProperties) {
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={t("Buy credits for {name}", { name: account.name })}
    >
      <BuyForm account={account} onClose={onClose} />
    </Modal>
  )
}

/** Shows the amount of money and its currency. One credit costs one unit of the currency. */
function Price({ credits }: { readonly credits: string }) {
  const { card_currency: currency } = useSession()
  const amount = readCredits(credits)
  if (currency === null || amount === undefined) return null
  return (
    <Text size="sm" role="status">
      {rich("You pay {paid}. Taxes, if any, are added on the next page.", {
        paid: <b>{paidText({ amount, currency })}</b>,
      })}
    </Text>
  )
}

function BuyForm({ account, onClose }: Omit<CreditsModalProperties, "isOpen">) {
  const form = useForm({ initialValues: { credits: "25" }, validate: { credits: checkPositive } })
  const { submit, isBusy, error } = useSubmit(form, async (values, idempotencyKey) => {
    const body = { credits: readCredits(values.credits) ?? "" }
    const purchase = { path: { id: account.id }, body }
    const { url } = await api("POST /accounts/{id}/checkout", purchase, { idempotencyKey })
    window.location.assign(url)
  })
  return (
    <form onSubmit={form.onSubmit((values) => void submit(values))} noValidate>
      <Stack>
        <AmountInput
          label={t("Credits")}
          description={t("You pay on the next page and then return here.")}
          data-autofocus
          {...form.getInputProps("credits")}
        />
        <Price credits={form.values.credits} />
        <Group gap="xs">
          {AMOUNTS.map((amount) => (
            <Button
              key={amount}
              size="compact-sm"
              variant={form.values.credits === amount ? "light" : "default"}
              onClick={() => form.setFieldValue("credits", amount)}
            >
              {amount}
            </Button>
          ))}
        </Group>
        <ErrorNotice error={error} title={t("Could not start the payment")} />
        <FormButtons action={t("Continue to payment")} isBusy={isBusy} onClose={onClose} />
      </Stack>
    </form>
  )
}
