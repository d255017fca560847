/** The targets of commands. */

/**
 * An element: its number, a target of the language (`"@e5"`, `"email"`, `'button "Save"'`, `'css(".buy")'`,
 * `'"Save" near "Total"'`), or a
 * tagged object (`{ css: ".buy" }`). Any other text is that of the element, and so is `{ text: … }` always.
 */
export type Target = number | string | TaggedTarget;

/** A target as an object: `{ css: ".buy", relation: { kind: "inside", to: { text: "Cart" } } }`. */
export type TaggedTarget = (
  | { readonly id: number }
  | { readonly reference: number }
  | { readonly text: string }
  | { readonly kind: string; readonly text: string; readonly id?: number }
  | { readonly role: string }
  | { readonly css: string }
  | { readonly xpath: string }
  | { readonly point: readonly [number, number] }
) & {
  readonly relation?: {
    readonly kind: "near" | "inside" | "after" | "before" | "contains";
    readonly to: TaggedTarget;
  };
};
