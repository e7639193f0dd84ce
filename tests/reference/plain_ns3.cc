// A program that uses ns-3 3.37 alone: its simulator, its point-to-point devices and queues, its IP
// and TCP. Senders 1 to n each send one message to host 0 through a router, over connections whose
// handshake was complete long before. It prints, for each sender, the picoseconds from the first
// write to the last byte read. tests/network/ns3/plain_ns3_test.cc compares the ns3 backend with
// it.
//
//     plain_ns3 --senders=15 --bytes=400000 --window=512000 --segment=1460 ...
//
// It is a program of its own because ns-3 has one simulator for each process.
#include <ns3/boolean.h>
#include <ns3/command-line.h>
#include <ns3/config.h>
#include <ns3/drop-tail-queue.h>
#include <ns3/inet-socket-address.h>
#include <ns3/internet-stack-helper.h>
#include <ns3/ipv4-static-routing-helper.h>
#include <ns3/node-container.h>
#include <ns3/point-to-point-channel.h>
#include <ns3/point-to-point-net-device.h>
#include <ns3/simulator.h>
#include <ns3/string.h>
#include <ns3/tcp-socket-factory.h>
#include <ns3/tcp-socket.h>
#include <ns3/uinteger.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <string>

namespace {

using ns3::Ptr;

struct Options {
  std::uint32_t senders = 1;
  std::uint64_t bytes = 1'000'000;
  std::uint32_t segment = 1'460, window = 512'000, initial = 10;
  std::uint32_t delayed_acks = 2;
  double delayed_ack_us = 10, rto_us = 1'000'000, granularity_us = 1'000, latency_us = 0.5;
  double gigabits = 100;
  std::uint64_t buffer = 1'000'000'000;
  bool timestamps = false;
  std::string control = "TcpLinuxReno";

  void read(int argc, char** argv) {
    ns3::CommandLine line;
    line.AddValue("senders", "hosts that send to host 0", senders);
    line.AddValue("bytes", "of each message", bytes);
    line.AddValue("segment", "bytes of data in a full segment", segment);
    line.AddValue("window", "bytes of the send buffer and of the receive buffer", window);
    line.AddValue("initial", "segments of the first congestion window", initial);
    line.AddValue("delayed_acks", "segments for each acknowledgement", delayed_acks);
    line.AddValue("delayed_ack_us", "timeout of a delayed acknowledgement", delayed_ack_us);
    line.AddValue("rto_us", "minimum retransmission timeout", rto_us);
    line.AddValue("granularity_us", "of TCP's clock", granularity_us);
    line.AddValue("latency_us", "of each link", latency_us);
    line.AddValue("gigabits", "bandwidth of each link, Gb/s", gigabits);
    line.AddValue("buffer", "bytes of the router's queue to host 0", buffer);
    line.AddValue("timestamps", "TCP's time stamps", timestamps);
    line.AddValue("control", "ns-3's name of the congestion control", control);
    line.Parse(argc, argv);
  }
};

ns3::Time microseconds(double value) {
  return ns3::PicoSeconds(static_cast<std::int64_t>(value * 1e6));
}

void configure(const Options& options) {
  using ns3::BooleanValue, ns3::TimeValue, ns3::UintegerValue;
  ns3::Config::SetDefault("ns3::TcpL4Protocol::SocketType",
                          ns3::StringValue("ns3::" + options.control));
  ns3::Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(options.segment));
  ns3::Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(options.window));
  ns3::Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(options.window));
  ns3::Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(options.initial));
  ns3::Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(options.delayed_acks));
  ns3::Config::SetDefault("ns3::TcpSocket::DelAckTimeout",
                          TimeValue(microseconds(options.delayed_ack_us)));
  ns3::Config::SetDefault("ns3::TcpSocket::TcpNoDelay", BooleanValue(true));
  ns3::Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(microseconds(options.rto_us)));
  ns3::Config::SetDefault("ns3::TcpSocketBase::ClockGranularity",
                          TimeValue(microseconds(options.granularity_us)));
  ns3::Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(options.timestamps));
}

Ptr<ns3::PointToPointNetDevice> make_device(const Options& options, Ptr<ns3::Node> node,
                                            Ptr<ns3::PointToPointChannel> channel,
                                            std::uint64_t buffer) {
  const auto device = ns3::CreateObject<ns3::PointToPointNetDevice>();
  device->SetAddress(ns3::Mac48Address::Allocate());
  device->SetDataRate(ns3::DataRate(static_cast<std::uint64_t>(options.gigabits * 1e9)));
  device->SetMtu(static_cast<std::uint16_t>(options.segment + (options.timestamps ? 52 : 40)));
  const auto queue = ns3::CreateObject<ns3::DropTailQueue<ns3::Packet>>();
  queue->SetMaxSize(ns3::QueueSize(ns3::BYTES, static_cast<std::uint32_t>(buffer)));
  device->SetQueue(queue);
  node->AddDevice(device);
  device->Attach(channel);
  return device;
}

std::uint32_t set_up(Ptr<ns3::Node> node, Ptr<ns3::NetDevice> device, ns3::Ipv4Address address) {
  const auto ip = node->GetObject<ns3::Ipv4>();
  const std::uint32_t interface = ip->AddInterface(device);
  ip->AddAddress(interface, ns3::Ipv4InterfaceAddress(address, "255.255.255.0"));
  ip->SetUp(interface);
  return interface;
}

ns3::Ipv4Address address_of(std::uint32_t host) {
  return ns3::Ipv4Address(0x0a000001u + (host << 8));
}

// Node 0 is the router, node i + 1 host i.
void make_star(const Options& options, const ns3::NodeContainer& nodes) {
  constexpr std::uint64_t ample = 2'000'000'000;
  const Ptr<ns3::Node> router = nodes.Get(0);
  for (std::uint32_t host = 0; host <= options.senders; ++host) {
    const Ptr<ns3::Node> node = nodes.Get(host + 1);
    const auto channel = ns3::CreateObject<ns3::PointToPointChannel>();
    channel->SetAttribute("Delay", ns3::TimeValue(microseconds(options.latency_us)));
    const auto near = make_device(options, node, channel, ample);
    const auto far = make_device(options, router, channel, host == 0 ? options.buffer : ample);
    const std::uint32_t interface = set_up(node, near, address_of(host));
    const ns3::Ipv4Address gateway(address_of(host).Get() + 1);
    set_up(router, far, gateway);
    ns3::Ipv4StaticRoutingHelper()
        .GetStaticRouting(node->GetObject<ns3::Ipv4>())
        ->SetDefaultRoute(gateway, interface);
  }
}

// The message of one sender.
class Flow {
 public:
  Flow(const Options& options, std::uint32_t number) : left_(options.bytes), number_(number) {}

  void connect(Ptr<ns3::Node> node) {
    sender_ = ns3::Socket::CreateSocket(node, ns3::TcpSocketFactory::GetTypeId());
    sender_->Bind(ns3::InetSocketAddress(address_of(number_), 1));
    sender_->Connect(ns3::InetSocketAddress(address_of(0), port()));
  }

  void listen(Ptr<ns3::Node> node) {
    listener_ = ns3::Socket::CreateSocket(node, ns3::TcpSocketFactory::GetTypeId());
    listener_->Bind(ns3::InetSocketAddress(address_of(0), port()));
    listener_->Listen();
    listener_->SetAcceptCallback(
        ns3::MakeNullCallback<bool, Ptr<ns3::Socket>, const ns3::Address&>(),
        ns3::MakeCallback(&Flow::accepted, this));
  }

  void begin() {
    begun_ = ns3::Simulator::Now();
    to_read_ = left_;
    sender_->SetSendCallback(ns3::MakeCallback(&Flow::write, this));
    write(sender_, sender_->GetTxAvailable());
  }

 private:
  std::uint16_t port() const { return static_cast<std::uint16_t>(1'000 + number_); }

  void accepted(Ptr<ns3::Socket> socket, const ns3::Address&) {
    socket->SetRecvCallback(ns3::MakeCallback(&Flow::read, this));
  }

  void write(Ptr<ns3::Socket> socket, std::uint32_t room) {
    while (left_ > 0 && room > 0) {
      const auto piece = static_cast<std::uint32_t>(std::min<std::uint64_t>(left_, room));
      const int sent = socket->Send(ns3::Create<ns3::Packet>(piece), 0);
      if (sent <= 0) return;
      left_ -= static_cast<std::uint64_t>(sent);
      room = socket->GetTxAvailable();
    }
  }

  void read(Ptr<ns3::Socket> socket) {
    while (const Ptr<ns3::Packet> data = socket->Recv()) {
      if (data->GetSize() == 0) return;
      to_read_ -= data->GetSize();
      if (to_read_ == 0)
        std::printf("%lld\n",
                    static_cast<long long>((ns3::Simulator::Now() - begun_).GetPicoSeconds()));
    }
  }

  Ptr<ns3::Socket> sender_, listener_;
  std::uint64_t left_, to_read_ = 0;
  std::uint32_t number_;
  ns3::Time begun_;
};

}  // namespace

int main(int argc, char** argv) {
  ns3::Time::SetResolution(ns3::Time::PS);
  Options options;
  options.read(argc, argv);
  configure(options);
  ns3::NodeContainer nodes;
  nodes.Create(options.senders + 2);
  ns3::InternetStackHelper().Install(nodes);
  make_star(options, nodes);
  std::deque<Flow> flows;
  for (std::uint32_t number = 1; number <= options.senders; ++number) {
    Flow& flow = flows.emplace_back(options, number);
    flow.listen(nodes.Get(1));
    flow.connect(nodes.Get(number + 1));
    ns3::Simulator::Schedule(ns3::Seconds(10), &Flow::begin, &flow);
  }
  ns3::Simulator::Run();
  ns3::Simulator::Destroy();
}
