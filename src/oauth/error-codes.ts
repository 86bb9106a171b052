/**
 * Every code of an `OAuthError` that barewire throws. Stable, for programs. docs/authorization.md explains each; a test
 * compares the sources, this type and that table.
 */
export type OAuthErrorCode =
  | 'invalid_url' | 'insecure_url' | 'fetch_failed' | 'fetch_redirect' | 'fetch_timeout'
  | 'fetch_too_large' | 'metadata_malformed' | 'metadata_unavailable' | 'issuer_mismatch' | 'unsupported'
  | 'metadata_missing' | 'resource_mismatch' | 'private_address' | 'pkce_unsupported' | 'other_origin'
  | 'no_registration' | 'registration_refused' | 'registration_malformed' | 'issuer_changed' | 'signing_key'
  | 'authorization_required' | 'authorization_refused' | 'redirect_mismatch' | 'response_malformed' | 'state_mismatch'
  | 'login_mismatch' | 'timeout' | 'token_refused' | 'token_rejected' | 'store_locked'
  | 'store_unreadable' | 'store_unwritable' | 'insufficient_scope' | 'token_malformed' | 'no_authorization_server'
  | 'invalid_scope' | 'token_in_query' | 'token_too_long' | 'token_invalid' | 'token_type'
  | 'token_key' | 'token_signature' | 'token_issuer' | 'token_audience' | 'token_expired'
  | 'token_expiry_missing' | 'token_not_yet' | 'token_subject' | 'token_inactive' | 'token_binding'
  | 'introspection_failed' | 'introspection_malformed' | 'introspection_unavailable' | 'jwks_unavailable' | 'jwks_invalid'
  | 'jwk_invalid' | 'jwt_malformed' | 'jwt_algorithm' | 'jwt_crit' | 'dpop_missing'
  | 'dpop_malformed' | 'dpop_type' | 'dpop_algorithm' | 'dpop_crit' | 'dpop_key'
  | 'dpop_signature' | 'dpop_method' | 'dpop_url' | 'dpop_time' | 'dpop_token'
  | 'dpop_binding' | 'dpop_replayed' | 'use_dpop_nonce';
