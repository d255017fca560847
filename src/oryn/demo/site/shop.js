// The shop's behaviour: consent, the checkout dialog, and a quantity in a shadow root.

document.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  if (button.dataset.consent) {
    fetch("/consent", { method: "POST" });
    document.getElementById("cookie-banner").remove();
  }
  if (button.dataset.opens) document.getElementById(button.dataset.opens).showModal();
  if ("closes" in button.dataset) button.closest("dialog").close();
});

document.addEventListener("change", (event) => {
  if (!event.target.matches("[data-reminder]")) return;
  document.querySelector("output").textContent = event.target.checked ? "We will write to you." : "";
});

customElements.define("quantity-stepper", class extends HTMLElement {
  static formAssociated = true;
  #internals = this.attachInternals?.(); // WebKit has it from 2.40 on
  #input = document.createElement("input");
  #count = 1;

  connectedCallback() {
    const root = this.attachShadow({ mode: "open" });
    root.innerHTML = `
      <style>
        :host { display: inline-flex; align-items: center; gap: 10px; }
        button { font: inherit; width: 36px; height: 36px; border: 1px solid #cfc5b2; border-radius: 50%; background: #fff; cursor: pointer; }
        output { min-width: 1.5em; text-align: center; }
      </style>
      <button type="button" aria-label="Fewer">−</button>
      <output aria-label="Count"></output>
      <button type="button" aria-label="More">+</button>`;
    if (!this.#internals) {
      Object.assign(this.#input, { type: "hidden", name: this.getAttribute("name") });
      this.append(this.#input);
    }
    const [fewer, more] = root.querySelectorAll("button");
    fewer.addEventListener("click", () => this.#set(this.#count - 1));
    more.addEventListener("click", () => this.#set(this.#count + 1));
    this.#set(this.#count);
  }

  #set(count) {
    this.#count = Math.min(20, Math.max(1, count));
    this.#internals?.setFormValue(String(this.#count));
    this.#input.value = this.#count;
    this.shadowRoot.querySelector("output").textContent = this.#count;
    this.shadowRoot.querySelector("button").disabled = this.#count === 1;
  }
});
