// A callable that is passed down for the time of a call: a lambda, without a copy or an allocation.
#pragma once

namespace orrery::yaml {

template <class... Arguments>
class CallableReference {
 public:
  // Implicit, so that a lambda can stand where it is passed.
  template <class Callable>
  CallableReference(const Callable& callable)
      : callable_(&callable), call_([](const void* called, Arguments... arguments) {
          (*static_cast<const Callable*>(called))(arguments...);
        }) {}

  void operator()(Arguments... arguments) const { call_(callable_, arguments...); }

 private:
  const void* callable_;
  void (*call_)(const void*, Arguments...);
};

}  // namespace orrery::yaml
