// What `make check` asks of the TypeScript.

import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

export default defineConfig(
  { ignores: ['**/node_modules/', '**/build/', '**/dist/', 'src/', 'clients/', 'docs/', '.venv*/'] },
  {
    files: ['{scanner,tests/scanner,extension}/**/*.{ts,mts}'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { project: './tsconfig.json' } },
    rules: {
      '@typescript-eslint/no-non-null-assertion': 'error',
      // A number in a text is meant.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      // `const { used, ...rest }`, and parameters that a signature has before those that are used.
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', ignoreRestSiblings: true }],
    },
  },
);
